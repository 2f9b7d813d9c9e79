// text_layered_rows.cc: text models whose layers differ in window, base or whether they turn.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view ultrabert =
    R"({"full_attention": {"rope_theta": 2560000}, "sliding_attention": {"rope_theta": 10000}})";

constexpr LayerRule gemma3{.period_key = "sliding_window_pattern"};
constexpr LayerRule modernbert{.period_key = "global_attn_every_n_layers"};
constexpr LayerRule pattern_of_four{.period_key = "sliding_window_pattern"};
constexpr LayerRule afmoe{.period_key = "global_attn_every_n_layers"};
constexpr LayerRule lfm2{.other = "conv", .list_key = "full_attn_idxs", .indices = true};
constexpr LayerRule minimax{.list_key = "attn_type_list"};

constexpr LocalRule gemma_local{.key = "rope_local_base_freq"};
constexpr LocalRule modernbert_local{
    .full_key = "global_rope_theta", .key = "local_rope_theta", .scaled = true};

}  // namespace

std::span<const ModelRow> layered_rows() {
  static constexpr ModelRow rows[] = {
      // One rope; some layers have a window.
      {.types = "gemma2 vaultgemma t5_gemma_module"},
      {.types = "gpt_oss", .window = {.everywhere = true}},
      {.types = "cwm", .window = {.everywhere = true}},
      {.types = "ministral", .window = {.everywhere = true}},
      {.types = "kolibri1"},
      {.types = "flint", .layers = {.period = 4, .shift = 3, .leading = 2, .last = true}},

      // Layers that see everything have no position.
      {.types = "cohere2",
       .rope = {.layout = interleaved},
       .layers = pattern_of_four,
       .turns = TurningLayers::sliding_only},
      {.types = "afmoe", .layers = afmoe, .turns = TurningLayers::sliding_only},

      // Two bases.
      {.types = "gemma3_text embedding_gemma",
       .layers = gemma3,
       .local = gemma_local,
       .read = read_local,
       .idle = "_sliding_window_pattern"},
      {.types = "gemma3n_text", .local = gemma_local, .read = read_local},
      {.types = "t5gemma2_text t5gemma2_decoder",
       .layers = gemma3,
       .local = gemma_local,
       .read = read_local},
      {.types = "olmo3", .read = read_local},
      {.types = "modernbert modernbert-decoder",
       .layers = modernbert,
       .local = modernbert_local,
       .window = {.key = "local_attention", .alone = true},
       .read = read_modernbert},
      {.types = "pe_audio:text",
       .layers = modernbert,
       .local = modernbert_local,
       .window = {.key = "local_attention", .alone = true},
       .read = read_modernbert},
      {.types = "laguna", .rope = {.fraction = 1}},
      {.types = "mellum", .rope = {.fraction = 1, .share = ShareKey::inside}},
      {.types = "zaya", .rope = {.fraction = 1}, .layers = {.kind = "hybrid"}},
      {.types = "beam",
       .layers = {.period = 6, .last = true},
       .trap =
           "Layers without rotation multiply queries by (1 + (p + 1) / 2048)^0.1: they need the "
           "position too."},
      {.types = "ultrabert",
       .rope = {.scaling = ultrabert},
       .layers = {.period = 3, .list_key = "attention_windows", .listed_are_full = false},
       .read = read_step3p5},
      {.types = "granite_swa granitemoe_swa", .read = read_layer_bases},

      // Attention in some layers only.
      {.types = "qwen3_next",
       .layers = {.period_key = "full_attention_interval"},
       .turns = TurningLayers::full_only,
       .window = {.asked = true}},
      {.types = "qwen3_5_text qwen3_5_moe_text",
       .rope = {.coordinates = RopeCoordinates::alternating, .sections = {11, 11, 10}},
       .layers = {.period_key = "full_attention_interval"},
       .turns = TurningLayers::full_only,
       .window = {.asked = true}},
      {.types = "lfm2 lfm2_moe", .layers = lfm2},
      {.types = "lfm3",
       .rope = {.base = 1000000},
       .layers = {.cycle = "sliding_attention conv full_attention conv", .first = "conv"}},
      {.types = "minimax minimax_text_01 minimax_m1",
       .rope = {.fraction = 1, .share = ShareKey::nowhere},
       .layers = minimax,
       .turns = TurningLayers::full_only,
       .window = {.everywhere = true},
       .trap = rotary_dim_unread},
      {.types = "bamba",
       .layers = {.other = linear_kind, .list_key = "attn_layer_indices", .indices = true}},
      {.types = "falcon_h1"},

      // A list says which layers turn.
      {.types = "llama4_text", .rope = {.layout = interleaved}, .read = read_llama4},
      {.types = "smollm3", .window = {.everywhere = true}, .read = read_no_rope_layers},
  };
  return rows;
}

}  // namespace posenc::model
