// text_coordinates.cc: text models whose tokens have several coordinates, as data.
#include "model/families/text_special.h"

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

std::span<const TextRule> coordinate_rules() {
  static const TextRule rules[] = {
      {"qwen2_vl_text",
       {.base = 1000000, .coordinates = Coordinates::chunked, .sections = {16, 24, 24}}},
      {"qwen2_5_vl_text",
       {.base = 1000000, .coordinates = Coordinates::chunked, .sections = {16, 24, 24}}},
      {"qwen2_5_omni_text",
       {.base = 1000000, .coordinates = Coordinates::chunked, .sections = {16, 24, 24}}},
      {"qwen2_5_omni_talker",
       {.base = 1000000, .coordinates = Coordinates::chunked, .sections = {16, 24, 24}}},
      {"paddleocr_vl_text",
       {.base = 500000, .coordinates = Coordinates::chunked, .sections = {16, 24, 24}}},
      {"qwen3_vl_text",
       {.base = 500000, .coordinates = Coordinates::alternating, .sections = {24, 20, 20}}},
      {"qwen3_vl_moe_text",
       {.base = 500000, .coordinates = Coordinates::alternating, .sections = {24, 20, 20}}},
      {"qwen3_omni_moe_text",
       {.base = 1000000, .coordinates = Coordinates::alternating, .sections = {24, 20, 20}}},
      {"qwen3_omni_moe_talker_text",
       {.coordinates = Coordinates::alternating, .sections = {24, 20, 20}}},
      {"glm4v_text",
       {.layout = interleaved,
        .fraction = 1,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"glm4v_moe_text",
       {.fraction = 0.5, .coordinates = Coordinates::chunked, .sections = {8, 12, 12}}},
      {"glm_image_text",
       {.fraction = 1, .coordinates = Coordinates::chunked, .sections = {8, 12, 12}}},
      {"glm_ocr_text",
       {.layout = interleaved,
        .fraction = 1,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"ernie4_5_vl_moe_text",
       {.base = 500000,
        .layout = interleaved,
        .coordinates = Coordinates::ernie,
        .sections = {22, 22, 20}}},
      {"cosmos3_edge_text",
       {.base = 100000000,
        .scaling = cosmos3_edge,
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"qwen4_exp_text",
       {.fraction = 1, .coordinates = Coordinates::alternating, .sections = {11, 11, 10}},
       {.period = 4, .period_key = "full_attention_interval", .other = linear_kind}},
      {"cohere_compass_text", {.coordinates = Coordinates::alternating, .sections = {24, 20, 20}}},
      {"hunyuan_vl_text", {.coordinates = Coordinates::hunyuan}, {}, {}, {}, nullptr, mixed_halves},
      {"neomme",
       {.share = ShareKey::inside,
        .coordinates = Coordinates::pairs,
        .reads_scaling = false,
        .reads_flat = false},
       {.period = 6, .last = true},
       {},
       {},
       read_neomme},
  };
  return rules;
}

}  // namespace posenc::model
