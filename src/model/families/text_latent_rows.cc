// text_latent_rows.cc: models with latent attention.
#include "model/families/text_readers.h"

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

void tell_indexer(const Reading& reading) {
  reading.trap("The indexer turns halves (i, i + n/2), unlike the attention beside it.");
}

}  // namespace

std::span<const ModelRow> latent_rows() {
  static constexpr ModelRow rows[] = {
      {.types = "deepseek_v2 glm_moe_dsa glm4_moe_lite axk1 axk2 youtu longcat_flash",
       .rope = {.layout = interleaved, .latent = true},
       .read = read_latent},
      {.types = "deepseek_v3 kimi_k2",
       .rope = {.layout = interleaved, .latent = true},
       .read = read_latent},
      {.types = "deepseek_v32",
       .rope = {.layout = interleaved, .latent = true},
       .read = read_latent,
       .more = tell_indexer},
      {.types = "minicpm3 hy_v4", .rope = {.latent = true}, .read = read_latent},
      {.types = "kimi_linear",
       .rope = {.layout = interleaved, .latent = true},
       .turns = TurningLayers::nothing,
       .read = read_latent},
      {.types = "kimi_k3",
       .rope = {.sizes = {2304, 32, 27, 1048576, 64}, .layout = interleaved, .latent = true},
       .read = read_latent},
      {.types = "dots3_note_text",
       .rope = {.sizes = {5120, 128, 46, 524288, 64},
                .base = 80000000,
                .layout = interleaved,
                .latent = true},
       .layers = {.period = 4, .shift = 3, .leading = 2},
       .local = {.key = "swa_rope_theta", .base = 50000},
       .read = read_dots3},
      {.types = "mistral4",
       .rope = {.sizes = {4096, 32, 36, 1048576, 64},
                .layout = interleaved,
                .scaling = mistral4,
                .latent = true,
                .temperature = true},
       .read = read_latent},
      {.types = "bailing_hybrid",
       .rope = {.layout = interleaved, .latent = true},
       .layers = {.period = 6, .period_key = "layer_group_size", .other = linear_kind},
       .read = read_latent},
      {.types = "mistral_large4_text",
       .rope = {.layout = interleaved, .scaling = mistral_large4, .latent = true},
       .read = read_mistral_large4},
      {.types = "deepseek_v4",
       .rope = {.layout = interleaved, .fraction = 0.125, .last = true},
       .read = read_deepseek_v4},
  };
  return rows;
}

}  // namespace posenc::model
