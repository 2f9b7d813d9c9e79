// text_latent_rows.cc: texts with latent attention, and texts whose tokens have coordinates.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

void tell_indexer(const Reading& reading) {
  reading.trap("The indexer rotates halves (i, i + n/2), unlike the attention itself.");
}

constexpr std::string_view mixed_halves =
    "Sections split the features of a head, not its pairs: the two halves of a pair may be rotated "
    "by different coordinates, which is not a rotation. Only on text is it a plain one.";

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
       .rope = {.base = 80000000, .layout = interleaved, .latent = true},
       .layers = {.period = 4, .shift = 3, .leading = 2},
       .local = {.key = "swa_rope_theta"},
       .read = read_dots3},
      {.types = "mistral4",
       .rope = {.layout = interleaved, .latent = true, .temperature = true},
       .read = read_latent},
      {.types = "bailing_hybrid",
       .rope = {.layout = interleaved, .latent = true},
       .layers = {.period_key = "layer_group_size"},
       .read = read_latent},
      {.types = "mistral_large4_text",
       .rope = {.layout = interleaved, .latent = true},
       .read = read_mistral_large4},
      {.types = "deepseek_v4",
       .rope = {.layout = interleaved, .fraction = 0.125, .last = true},
       .read = read_deepseek_v4},

      // Tokens with several coordinates.
      {.types =
           "qwen2_vl_text qwen2_5_vl_text qwen2_5_omni_text qwen2_5_omni_talker paddleocr_vl_text",
       .rope = {.coordinates = RopeCoordinates::chunked, .sections = {16, 24, 24}},
       .window = {.everywhere = true}},
      {.types = "qwen3_vl_text qwen3_vl_moe_text",
       .rope = {.coordinates = RopeCoordinates::alternating, .sections = {24, 20, 20}},
       .window = {.asked = true}},
      {.types = "qwen3_omni_moe_text qwen3_omni_moe_talker_text",
       .rope = {.coordinates = RopeCoordinates::alternating, .sections = {24, 20, 20}},
       .window = {.everywhere = true, .asked = true}},
      {.types = "glm4v_text glm_ocr_text",
       .rope = {.layout = interleaved,
                .fraction = 1,
                .coordinates = RopeCoordinates::chunked,
                .sections = {8, 12, 12}}},
      {.types = "glm4v_moe_text",
       .rope = {.coordinates = RopeCoordinates::chunked, .sections = {8, 12, 12}}},
      {.types = "glm_image_text",
       .rope = {.fraction = 1, .coordinates = RopeCoordinates::chunked, .sections = {8, 12, 12}}},
      {.types = "ernie4_5_vl_moe_text",
       .rope = {.layout = interleaved,
                .coordinates = RopeCoordinates::ernie,
                .sections = {22, 22, 20}}},
      {.types = "cosmos3_edge_text",
       .rope = {.coordinates = RopeCoordinates::alternating, .sections = {24, 20, 20}}},
      {.types = "qwen4_exp_text",
       .rope = {.fraction = 1,
                .coordinates = RopeCoordinates::alternating,
                .sections = {11, 11, 10}},
       .layers = {.period_key = "full_attention_interval"},
       .window = {.asked = true}},
      {.types = "cohere_compass_text",
       .rope = {.coordinates = RopeCoordinates::alternating, .sections = {24, 20, 20}}},
      {.types = "hunyuan_vl_text",
       .rope = {.coordinates = RopeCoordinates::hunyuan},
       .trap = mixed_halves},
      {.types = "neomme",
       .rope = {.share = ShareKey::inside,
                .coordinates = RopeCoordinates::pairs,
                .reads_scaling = false,
                .reads_flat = false},
       .layers = {.period = 6, .last = true},
       .window = {.long_key = "default_long_sliding_window", .long_size = 1024},
       .read = read_neomme},
  };
  return rows;
}

}  // namespace posenc::model
