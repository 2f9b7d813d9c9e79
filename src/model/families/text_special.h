// text_special.h: readers of text models that one family alone needs.
#pragma once

#include "model/families/text_rules.h"

namespace posenc::model {

using TextReader = void(const Reading& reading, const TextRule& rule);

TextReader read_bloom, read_falcon, read_mpt, read_jina_alibi, read_baichuan;
TextReader read_qwen, read_chatglm, read_phi3small, read_nomic, read_gte, read_esm, read_dbrx;
TextReader read_roformer;
TextReader read_gemma4, read_mimo, read_step3p5, read_exaone4, read_mllama, read_granite_hybrid;
TextReader read_recurrent_gemma, read_zamba2, read_olmo_hybrid, read_cohere2_moe;
TextReader read_internlm, read_csm, read_blt, read_fuyu, read_both_sides;
TextReader read_molmo2, read_inkling, read_neomme;
TextReader read_decilm, read_telechat, read_index, read_llada, read_codeshell, read_jais;
TextReader read_step1, read_baichuan_m1, read_plamo2, read_phi3_v, read_molmo;

// What `key` says, or what the class has where it is missing.
int64_t size_or(const Config& config, std::string_view key, int64_t otherwise,
                std::string_view what);

// A table whose first token reads row `offset`.
void add_table(const Reading& reading, int64_t rows, int64_t dim, int64_t offset);

}  // namespace posenc::model
