// text_coordinate_rows.cc: text models whose tokens have several coordinates.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

// Read before a rope_theta that stands beside it.
constexpr std::string_view cosmos3_edge =
    R"({"rope_type": "default", "rope_theta": 100000000, "mrope_section": [24, 20, 20]})";

constexpr std::string_view mixed_halves =
    "Sections split the features of a head, not its pairs: both halves of a pair may be turned by "
    "different coordinates, which is no rotation. Only on text is it a plain one.";

}  // namespace

std::span<const ModelRow> coordinate_rows() {
  static constexpr ModelRow rows[] = {
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
       .rope = {.fraction = 0.5, .coordinates = RopeCoordinates::chunked, .sections = {8, 12, 12}}},
      {.types = "glm_image_text",
       .rope = {.fraction = 1, .coordinates = RopeCoordinates::chunked, .sections = {8, 12, 12}}},
      {.types = "ernie4_5_vl_moe_text",
       .rope = {.layout = interleaved,
                .coordinates = RopeCoordinates::ernie,
                .sections = {22, 22, 20}}},
      {.types = "cosmos3_edge_text",
       .rope = {.base = 100000000,
                .scaling = cosmos3_edge,
                .coordinates = RopeCoordinates::alternating,
                .sections = {24, 20, 20}}},
      {.types = "qwen4_exp_text",
       .rope = {.fraction = 1,
                .coordinates = RopeCoordinates::alternating,
                .sections = {11, 11, 10}},
       .layers = {.period = 4, .period_key = "full_attention_interval", .other = linear_kind},
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
