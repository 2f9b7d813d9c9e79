// text_coordinates.cc: text models whose tokens have several coordinates, as data.
#include "model/families/text_special.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view neomme =
    R"({"full_attention": {"rope_theta": 1000000, "partial_rotary_factor": 0.25},)"
    R"( "sliding_attention": {"rope_theta": 10000, "partial_rotary_factor": 1}})";

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
       {.sizes = {8192, 64, 80, 32768},
        .base = 1000000,
        .coordinates = Coordinates::chunked,
        .sections = {16, 24, 24}}},
      {"qwen2_5_vl_text",
       {.sizes = {8192, 64, 80, 32768},
        .base = 1000000,
        .coordinates = Coordinates::chunked,
        .sections = {16, 24, 24}}},
      {"qwen2_5_omni_text",
       {.sizes = {3584, 28, 28, 32768},
        .base = 1000000,
        .coordinates = Coordinates::chunked,
        .sections = {16, 24, 24}}},
      {"qwen2_5_omni_talker",
       {.sizes = {3584, 28, 28, 32768, 128},
        .base = 1000000,
        .coordinates = Coordinates::chunked,
        .sections = {16, 24, 24}}},
      {"paddleocr_vl_text",
       {.sizes = {1024, 16, 18, 131072, 128},
        .base = 500000,
        .coordinates = Coordinates::chunked,
        .sections = {16, 24, 24}}},
      {"qwen3_vl_text",
       {.sizes = {4096, 32, 32, 128000, 128},
        .base = 500000,
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"qwen3_vl_moe_text",
       {.sizes = {2048, 16, 24, 128000},
        .base = 500000,
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"qwen3_omni_moe_text",
       {.sizes = {2048, 28, 28, 32768},
        .base = 1000000,
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"qwen3_omni_moe_talker_text",
       {.sizes = {1024, 16, 20, 32768},
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"glm4v_text",
       {.sizes = {4096, 32, 40, 32768},
        .layout = interleaved,
        .fraction = 1,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"glm4v_moe_text",
       {.sizes = {4096, 96, 46, 65536},
        .fraction = 0.5,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"glm_image_text",
       {.sizes = {4096, 32, 40, 131072},
        .fraction = 1,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"glm_ocr_text",
       {.sizes = {1024, 16, 16, 131072},
        .layout = interleaved,
        .fraction = 1,
        .coordinates = Coordinates::chunked,
        .sections = {8, 12, 12}}},
      {"ernie4_5_vl_moe_text",
       {.sizes = {2560, 20, 28, 131072},
        .base = 500000,
        .layout = interleaved,
        .coordinates = Coordinates::ernie,
        .sections = {22, 22, 20}}},
      {"cosmos3_edge_text",
       {.sizes = {2048, 16, 28, 131072, 128},
        .base = 100000000,
        .scaling = cosmos3_edge,
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"qwen4_exp_text",
       {.sizes = {2048, 16, 40, 32768, 256},
        .fraction = 0.25,
        .coordinates = Coordinates::alternating,
        .sections = {11, 11, 10}},
       {.period = 4, .period_key = "full_attention_interval", .other = linear_kind}},
      {"cohere_compass_text",
       {.sizes = {8192, 64, 40, 8192},
        .coordinates = Coordinates::alternating,
        .sections = {24, 20, 20}}},
      {"hunyuan_vl_text",
       {.sizes = {4096, 32, 32, 2048}, .coordinates = Coordinates::hunyuan},
       {},
       {},
       {},
       nullptr,
       mixed_halves},
      {"neomme",
       {.sizes = {1024, 16, 17, 16384, 64},
        .fraction = 1,
        .scaling = neomme,
        .coordinates = Coordinates::pairs},
       {.period = 6, .last = true}},
  };
  return rules;
}

}  // namespace posenc::model
