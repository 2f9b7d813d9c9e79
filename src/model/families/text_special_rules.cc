// text_special_rules.cc: text models with readers of their own, as data.
#include "model/families/text_special.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view gemma4 =
    R"({"full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,)"
    R"( "rope_theta": 1000000}, "sliding_attention": {"rope_theta": 10000}})";
constexpr std::string_view embedding_gemma2 =
    R"({"full_attention": {"rope_theta": 1000000}, "sliding_attention": {"rope_theta": 10000}})";

constexpr LayerRule every_sixth{.period = 6};
constexpr LayerRule exaone4{.period = 4, .period_key = "sliding_window_pattern"};
constexpr LayerRule mimo{.period = 6, .list_key = "hybrid_layer_pattern", .listed_are_full = false};
constexpr LayerRule linear_but_fourth{.period = 4, .other = linear_kind};
constexpr LayerRule zamba2{.other = linear_kind, .list_key = "hybrid_layer_ids", .indices = true};

}  // namespace

std::span<const TextRule> special_rules() {
  static const TextRule rules[] = {
      {"gemma4_text diffusion_gemma_text", {.scaling = gemma4}, every_sixth, {}, {}, read_gemma4},
      {"gemma4_unified_text", {.scaling = gemma4}, every_sixth, {}, {}, read_gemma4},
      {"embedding_gemma2_text",
       {.scaling = embedding_gemma2},
       {.period = 6, .period_key = "sliding_window_pattern"},
       {},
       {},
       read_gemma4},
      {"mimo_v2_flash mimo_v2",
       {.sizes = {4096, 64, 48, 131072, 192}, .fraction = 0.334},
       mimo,
       {},
       {},
       read_mimo},
      {"step3p5",
       {.fraction = 1, .share = ShareKey::inside, .reads_flat = false},
       {},
       {},
       {},
       read_step3p5},
      {"exaone4 exaone_moe", {}, exaone4, Turns::sliding_only, {}, read_exaone4},
      {"cohere2_moe",
       {.layout = interleaved, .reads_scaling = false},
       {},
       {},
       {},
       read_cohere2_moe},
      {"muse_glimmer_text",
       {},
       {.period = 4, .from_end = true},
       Turns::sliding_only,
       {},
       read_layer_bases},
      {"muse_spark_text",
       {.base = 500000},
       {.period = 4, .from_end = true},
       Turns::sliding_only,
       {},
       read_layer_bases},
      {"molmo2_text", {}, {}, {}, {}, read_molmo2},
      {"inkling_text",
       {},
       {.period = 6, .kind = "hybrid", .other = "hybrid_sliding"},
       {},
       {},
       read_inkling,
       "",
       512},
      {.types = "inkling2_text",
       .rope = {},
       .layers = {.period = 6, .kind = "hybrid", .other = "hybrid_sliding"},
       .read = read_inkling,
       .window = 1024},
      {"mllama_text_model", {.base = 500000}, {}, {}, {}, read_mllama},
      {"granitemoehybrid", {}, {}, {}, {}, read_granite_hybrid},
      {"recurrent_gemma", {.fraction = 0.5}, {}, {}, {}, read_recurrent_gemma},
      {"zamba2", {}, zamba2, {}, {}, read_zamba2},
      {"olmo_hybrid", {}, linear_but_fourth, Turns::full_only, {}, read_olmo_hybrid},

      {"qwen", {.sizes = {4096, 32, 32, 8192}, .fraction = 1}, {}, {}, {}, read_qwen},
      {"chatglm", {.sizes = {4096, 32, 28}, .layout = interleaved}, {}, {}, {}, read_chatglm},
      {"phi3small",
       {.sizes = {4096, 32, 32, 8192}, .base = 1000000, .mscales = true},
       {},
       {},
       {},
       read_phi3small},
      {"dbrx", {}, {}, {}, {}, read_dbrx},
      {"internlm", {.sizes = {4096, 32, 32, 2048}}, {}, {}, {}, read_internlm},
      {"openelm",
       {.sizes = {.length = 2048, .head = 128}},
       {},
       {},
       {.full_key = "rope_freq_constant"}},
      {"csm", {.base = 500000}, {}, {}, {}, read_csm},
      {"blt", {}, {}, {}, {}, read_blt},
      {"t5gemma t5gemma2 dia", {}, {}, {}, {}, read_both_sides},
      {"fuyu",
       {.sizes = {4096, 64, 36, 16384}, .base = 25000, .fraction = 0.5},
       {},
       {},
       {},
       read_fuyu},

      {"nomic_bert",
       {.base = 1000, .fraction = 1, .share = ShareKey::nowhere},
       {},
       {},
       {},
       read_nomic},
      {"new", {.sizes = {768, 12, 12, 2048}}, {}, {}, {}, read_gte},
      {"gte", {.base = 160000}, {}, {}, {}, read_gte},
      {"roformer", {.layout = Layout::interleaved, .fixed = true}, {}, {}, {}, read_roformer},
      {"esm", {}, {}, {}, {}, read_esm},

      {"bloom", {}, {}, {}, {}, read_bloom},
      {"falcon RefinedWeb RefinedWebModel",
       {.sizes = {4544, 71, 32, 2048}},
       {},
       {},
       {},
       read_falcon},
      {"mpt", {.sizes = {2048, 16, 24, 2048}}, {}, {}, {}, read_mpt},
      {"jina_bert", {.sizes = {768, 12, 12, 512}}, {}, {}, {}, read_jina_alibi},
      {"baichuan", {.sizes = {4096, 32, 32, 4096}}, {}, {}, {}, read_baichuan},

      {"mamba mamba2 falcon_mamba jamba nemotron_h rwkv rwkv5 rwkv6 rwkv7 xlstm zamba "
       "glm5_next_text moshi_depth",
       {},
       {},
       {},
       {},
       read_none},
  };
  return rules;
}

}  // namespace posenc::model
