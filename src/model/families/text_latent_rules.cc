// text_latent_rules.cc: models with latent attention, as data.
#include "model/families/text_special.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view mistral4 =
    R"({"rope_type": "yarn", "rope_theta": 10000, "factor": 128, "mscale": 1,)"
    R"( "mscale_all_dim": 1, "original_max_position_embeddings": 8192,)"
    R"( "llama_4_scaling_beta": 0.1})";
constexpr std::string_view mistral_large4 =
    R"({"rope_type": "yarn", "rope_theta": 10000, "factor": 2048, "attention_factor": 1,)"
    R"( "original_max_position_embeddings": 512})";

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

RopeRule mistral_large4_rule() {
  RopeRule out = latent({6144, 64, 72, 1048576, 64});
  out.scaling = mistral_large4;
  return out;
}

RopeRule mistral4_rule() {
  RopeRule out = latent({4096, 32, 36, 1048576, 64});
  out.scaling = mistral4;
  out.temperature = true;
  return out;
}

}  // namespace

std::span<const TextRule> latent_rules() {
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
      {.types = "dots3_note_text",
       .rope = latent({5120, 128, 46, 524288, 64}, 80000000),
       .layers = {.period = 4, .shift = 3, .leading = 2},
       .local = {.key = "swa_rope_theta", .base = 50000},
       .read = read_dots3,
       .window = 512},
      {"mistral4", mistral4_rule(), {}, {}, {}, read_latent},
      {"hy_v4", latent({2816, 32, 34, 262144, 64}, 10000, half), {}, {}, {}, read_latent},
      {"bailing_hybrid",
       latent({2560, 32, 42, 262144, 64}, 6000000),
       {.period = 6, .period_key = "layer_group_size", .other = linear_kind},
       {},
       {},
       read_latent},
      {"mistral_large4_text", mistral_large4_rule(), {}, {}, {}, read_mistral_large4},
      {"deepseek_v4",
       {.layout = interleaved, .fraction = 0.125, .last = true},
       {},
       {},
       {},
       read_deepseek_v4},
  };
  return rules;
}

}  // namespace posenc::model
