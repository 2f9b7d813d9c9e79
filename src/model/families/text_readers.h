// text_readers.h: text models: their lists of rows, and readers that rows name.
#pragma once

#include "model/families/model_row.h"

namespace posenc::model {

inline constexpr std::string_view rotary_dim_unread =
    "transformers 5 does not read rotary_dim here and rotates the whole head; the model's own "
    "code and vLLM rotate rotary_dim features.";

// All attention layers turn alike, or each kind as rope_parameters says.
ModelReader read_alike;
// Full and sliding layers have each a base.
ModelReader read_local;
ModelReader read_modernbert;
// no_rope_layers, where 1 is a layer that turns.
ModelReader read_no_rope_layers, read_llama4;
// A base for each layer, 0 where it does not turn.
ModelReader read_layer_bases;
// Latent attention: the last part of a head turns.
ModelReader read_latent;
ModelReader read_deepseek_v4;
ModelReader read_mistral_large4;
ModelReader read_dots3;
// Nothing turns, whatever keys say.
ModelReader read_none;

// The layers of one kind, called so: "text, full layers".
RopePart layers_of_kind(const Reading& reading, const Kinds& kinds, std::string_view kind);
// Adds what these layers have, where there are any: sliding ones a window too.
void add_layers(const Reading& reading, const ModelRow& rule, const RopePart& part);

// Tells a rope_scaling of the older spelling, where transformers 5 reads rope_type alone.
void tell_older_type(const Reading& reading);

// A component without an encoding.
void add_none(const Reading& reading, std::string_view why);

// Readers that one family alone needs.
ModelReader read_bloom, read_falcon, read_mpt, read_jina_alibi, read_baichuan;
ModelReader read_qwen, read_chatglm, read_phi3small, read_nomic, read_gte, read_esm, read_dbrx;
ModelReader read_roformer, read_saprot;
ModelReader read_gemma4, read_mimo, read_step3p5, read_exaone4, read_mllama, read_granite_hybrid;
ModelReader read_recurrent_gemma, read_zamba2, read_olmo_hybrid, read_cohere2_moe;
ModelReader read_internlm, read_csm, read_blt, read_both_sides;
ModelReader read_molmo2, read_inkling, read_neomme;
ModelReader read_decilm, read_telechat, read_index, read_llada, read_codeshell, read_jais;
ModelReader read_step1, read_baichuan_m1, read_plamo2, read_phi3_v, read_molmo;

// What `key` says, or what the class has where it is missing.
int64_t size_or(const Config& config, std::string_view key, int64_t otherwise,
                std::string_view what);

// A table whose first token reads row `offset`.
void add_table(const Reading& reading, int64_t rows, int64_t dim, int64_t offset);

}  // namespace posenc::model
