// text_remote_rows.cc: text models whose code comes with their weights and is not in transformers.
//
// Sizes are left out where every published file says them.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view one_place =
    "The tokens of a picture stand at one position: the text goes on right after it.";
constexpr std::string_view all_turn =
    "Layers with linear attention turn as well as those with softmax.";

}  // namespace

std::span<const ModelRow> remote_rows() {
  static constexpr ModelRow rows[] = {
      // As Llama's, under another name.
      {.types = "skywork telechat3 instella apriel jiutian ouro nanbeige zhinao BlueLM Klear "
                "iquestloopcoder deci internlmxcomposer2 PanguEmbedded PanguProMoE yuan llada_moe"},
      {.types = "minicpmv:text", .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "mimo Dream sdar sdar_moe kimi_audio",
       .rope = {.sizes = {.length = 32768}},
       .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "dots_ocr",
       .rope = {.sizes = {.length = 32768}},
       .window = {.everywhere = true, .asked = true, .late = 28},
       .sub_configs = {{"vision_config", "vision", "dots_vit"}}},
      {.types = "keye:text",
       .rope = {.coordinates = RopeCoordinates::chunked, .sections = {16, 24, 24}},
       .window = {.everywhere = true, .asked = true, .late = 28}},
      {.types = "grok-1", .rope = {.sizes = {6144, 48, 64, 8192}}},
      {.types = "step3_text", .rope = {.sizes = {7168, 64, 61, 65536, 256}, .base = 500000}},
      {.types = "molmo", .rope = {.base = 1000000}, .read = read_molmo},
      {.types = "cogvlm cogvlm2",
       .rope = {.fixed = true},
       .trap = one_place,
       .sub_configs = {{"vision_config", "vision", "cogvlm_vision"}}},
      {.types = "phi3_v",
       .rope = {.sizes = {3072, 32, 32, 4096}, .fraction = 1, .trained = 4096},
       .window = {.everywhere = true},
       .read = read_phi3_v},

      // Other pairs, shares or bases.
      {.types = "lille-130m", .rope = {.layout = interleaved}},
      {.types = "plamo", .rope = {.sizes = {4096, 32, 32, 2048}, .fixed = true}},
      {.types = "phixtral", .rope = {.sizes = {2560, 32, 32, 2048}, .turning = 32, .fixed = true}},
      {.types = "param2moe", .rope = {.fraction = 1}},
      {.types = "llada2_moe", .rope = {.base = 600000, .fraction = 0.5}},
      {.types = "bailing_moe_linear", .rope = {.base = 600000, .fraction = 0.5}, .trap = all_turn},
      {.types = "index", .read = read_index},
      {.types = "telechat telechat2", .read = read_telechat},

      // What says whether they turn.
      {.types = "llada", .rope = {.base = 500000}, .read = read_llada},
      {.types = "codeshell", .read = read_codeshell},
      {.types = "jais btlm", .read = read_jais},
      {.types = "step1", .read = read_step1},

      // Layers that differ.
      {.types = "nemotron-nas", .rope = {.sizes = {.length = 8192}}, .read = read_decilm},
      {.types = "baichuan_m1",
       .layers = {.list_key = "sliding_window_layers", .listed_are_full = false, .indices = true},
       .read = read_baichuan_m1},
      {.types = "plamo2", .rope = {.sizes = {4096, 32, 32, 2048, 128}}, .read = read_plamo2},
      {.types = "plamo3",
       .layers = {.period = 8, .period_key = "sliding_window_pattern"},
       .local = {.key = "rope_local_theta", .full_base = 1000000},
       .read = read_local},
  };
  return rows;
}

}  // namespace posenc::model
