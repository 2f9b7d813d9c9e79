// text_families.cc: text models that turn, bias or have no position, by the names of their types.
#include <array>

#include "model/families/text_special.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view gemma4 =
    R"({"full_attention": {"rope_type": "proportional", "partial_rotary_factor": 0.25,)"
    R"( "rope_theta": 1000000}, "sliding_attention": {"rope_theta": 10000}})";
constexpr std::string_view mistral4 =
    R"({"rope_type": "yarn", "rope_theta": 10000, "factor": 128, "mscale": 1,)"
    R"( "mscale_all_dim": 1, "original_max_position_embeddings": 8192,)"
    R"( "llama_4_scaling_beta": 0.1})";

constexpr LayerRule every_sixth{.period = 6};
constexpr LayerRule exaone4{.period = 4, .period_key = "sliding_window_pattern"};
constexpr LayerRule mimo{.period = 6, .list_key = "hybrid_layer_pattern", .listed_are_full = false};
constexpr LayerRule linear_of_four{.period = 4, .other = linear_kind};
constexpr LayerRule zamba2{.other = linear_kind, .list_key = "hybrid_layer_ids", .indices = true};

// Latent attention: `length` and the part of a head that turns.
constexpr RopeRule latent(Sizes sizes, double base = 10000, Layout layout = interleaved) {
  RopeRule out;
  out.sizes = sizes;
  out.base = base;
  out.layout = layout;
  out.head_key = "qk_rope_head_dim";
  out.scales_softmax = true;
  return out;
}

RopeRule mistral4_rule() {
  RopeRule out = latent({4096, 32, 36, 1048576, 64});
  out.scaling = mistral4;
  out.temperature = true;
  return out;
}

}  // namespace

std::span<const TextRule> special_rules() {
  static const TextRule rules[] = {
      {"deepseek_v2", latent({4096, 32, 32, 2048, 64}), {}, {}, {}, read_latent},
      {"deepseek_v3 kimi_k2", latent({7168, 128, 61, 4096, 64}), {}, {}, {}, read_latent},
      {"deepseek_v32", latent({7168, 128, 61, 163840, 64}), {}, {}, {}, read_latent},
      {"glm_moe_dsa", latent({6144, 64, 78, 202752, 64}), {}, {}, {}, read_latent},
      {"glm4_moe_lite", latent({2048, 20, 47, 202752, 64}), {}, {}, {}, read_latent},
      {"axk1", latent({7168, 64, 61, 32768, 64}), {}, {}, {}, read_latent},
      {"axk2", latent({2048, 32, 48, 131072, 32}), {}, {}, {}, read_latent},
      {"youtu", latent({2048, 16, 32, 131072, 64}), {}, {}, {}, read_latent},
      {"longcat_flash", latent({6144, 64, 56, 131072, 64}, 10000000), {}, {}, {}, read_latent},
      {"minicpm3", latent({2560, 40, 62, 32768, 32}, 10000, half), {}, {}, {}, read_latent},
      {"kimi_k3 kimi_linear", latent({2304, 32, 27, 1048576, 64}), {}, {}, {}, read_latent},
      {"mistral4", mistral4_rule(), {}, {}, {}, read_latent},
      {"deepseek_v4",
       {.sizes = {4096, 64, 43, 1048576, 512},
        .layout = interleaved,
        .fraction = 0.125,
        .last = true},
       {},
       {},
       {},
       read_deepseek_v4},

      {"gemma4_text diffusion_gemma_text",
       {.sizes = {2304, 8, 30, 131072, 256}, .scaling = gemma4},
       every_sixth,
       {},
       {},
       read_gemma4},
      {"gemma4_unified_text",
       {.sizes = {2304, 8, 30, 262144, 256}, .scaling = gemma4},
       every_sixth,
       {},
       {},
       read_gemma4},
      {"mimo_v2_flash mimo_v2",
       {.sizes = {4096, 64, 48, 131072, 192}, .fraction = 0.334},
       mimo,
       {},
       {},
       read_mimo},
      {"step3p5", {.sizes = {4096, 64, 45, 128000, 128}, .fraction = 1}, {}, {}, {}, read_step3p5},
      {"exaone4 exaone_moe",
       {.sizes = {4096, 32, 32, 2048}},
       exaone4,
       Turns::sliding_only,
       {},
       read_exaone4},
      {"cohere2_moe",
       {.sizes = {8192, 64, 40, 8192, 128}, .layout = interleaved},
       {},
       {},
       {},
       read_cohere2_moe},
      {"muse_glimmer_text",
       {.sizes = {6656, 32, 52, 131072, 128}},
       {.period = 4, .from_end = true},
       Turns::sliding_only,
       {},
       read_layer_bases},
      {"mllama_text_model",
       {.sizes = {4096, 32, 40, 131072}, .base = 500000},
       {},
       {},
       {},
       read_mllama},
      {"granitemoehybrid", {.sizes = {4096, 32, 32, 2048}}, {}, {}, {}, read_granite_hybrid},
      {"recurrent_gemma",
       {.sizes = {2560, 10, 26}, .fraction = 0.5},
       {},
       {},
       {},
       read_recurrent_gemma},
      {"zamba2", {.sizes = {2560, 32, 54, 4096}}, zamba2, {}, {}, read_zamba2},
      {"olmo_hybrid",
       {.sizes = {3840, 30, 32, 65536}},
       linear_of_four,
       Turns::full_only,
       {},
       read_olmo_hybrid},

      {"qwen", {.sizes = {4096, 32, 32, 8192}, .fraction = 1}, {}, {}, {}, read_qwen},
      {"chatglm", {.sizes = {4096, 32, 28}, .layout = interleaved}, {}, {}, {}, read_chatglm},
      {"phi3small",
       {.sizes = {4096, 32, 32, 8192}, .base = 1000000, .mscales = true},
       {},
       {},
       {},
       read_phi3small},
      {"dbrx", {.sizes = {2048, 16, 24, 2048}}, {}, {}, {}, read_dbrx},
      {"internlm", {.sizes = {4096, 32, 32, 2048}}, {}, {}, {}, read_internlm},
      {"openelm",
       {.sizes = {.length = 2048, .head = 128}},
       {},
       {},
       {.full_key = "rope_freq_constant"}},
      {"csm", {.sizes = {2048, 32, 16, 2048}, .base = 500000}, {}, {}, {}, read_csm},
      {"blt", {}, {}, {}, {}, read_blt},
      {"t5gemma t5gemma2 dia", {}, {}, {}, {}, read_both_sides},
      {"fuyu",
       {.sizes = {4096, 64, 36, 16384}, .base = 25000, .fraction = 0.5},
       {},
       {},
       {},
       read_fuyu},

      {"nomic_bert",
       {.sizes = {768, 12, 12, 2048}, .base = 1000, .fraction = 1},
       {},
       {},
       {},
       read_nomic},
      {"new gte", {.sizes = {768, 12, 12, 2048}, .fraction = 1}, {}, {}, {}, read_gte},
      {"esm", {.sizes = {768, 12, 12, 1026}}, {}, {}, {}, read_esm},

      {"bloom", {.sizes = {64, 8, 2}}, {}, {}, {}, read_bloom},
      {"falcon RefinedWeb RefinedWebModel",
       {.sizes = {4544, 71, 32, 2048}},
       {},
       {},
       {},
       read_falcon},
      {"mpt", {.sizes = {2048, 16, 24, 2048}}, {}, {}, {}, read_mpt},
      {"jina_bert", {.sizes = {768, 12, 12, 512}}, {}, {}, {}, read_jina_alibi},
      {"baichuan", {.sizes = {4096, 32, 32, 4096}}, {}, {}, {}, read_baichuan},

      {"mamba mamba2 falcon_mamba jamba nemotron_h rwkv rwkv5 rwkv6 rwkv7 xlstm zamba",
       {},
       {},
       {},
       {},
       read_none},
  };
  return rules;
}

namespace {

const std::array<std::span<const TextRule>, 3>& all_rules() {
  static const std::array out{plain_rules(), layered_rules(), special_rules()};
  return out;
}

// Keys that say what is so in any case.
void pass_idle(const Config& config) {
  for (const std::string_view key : {"use_mrope", "rope_interleaved", "flash_rotary"}) {
    const Json* value = config.json().find(key);
    const bool* flag = value ? std::get_if<bool>(&value->value) : nullptr;
    if (flag && !*flag) config.pass({key});
  }
  config.pass({"rotary", "sliding_window_size", "original_max_position_embeddings"});
}

void read_text(const Reading& reading) {
  pass_idle(reading.config);
  for (const auto rules : all_rules())
    for (const TextRule& rule : rules)
      if (is_among(rule.types, reading.type))
        return (rule.read ? rule.read : read_alike)(reading, rule);
}

}  // namespace

std::span<const Family> text_families() {
  static const std::vector<Family> out = [] {
    std::vector<Family> families;
    for (const auto rules : all_rules())
      for (const TextRule& rule : rules) families.push_back({rule.types, read_text});
    return families;
  }();
  return out;
}

}  // namespace posenc::model
