// text_layered_rows.cc: text models whose layers differ in window, base or whether they turn.
#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

using enum Layout;

constexpr std::string_view gpt_oss = R"({"rope_type": "yarn", "factor": 32, "truncate": false,)"
                                     R"( "original_max_position_embeddings": 4096})";
constexpr std::string_view cwm =
    R"({"rope_type": "llama3", "rope_theta": 1000000, "factor": 16, "low_freq_factor": 1,)"
    R"( "high_freq_factor": 4, "original_max_position_embeddings": 8192})";
constexpr std::string_view laguna =
    R"({"full_attention": {"rope_theta": 500000, "partial_rotary_factor": 0.5},)"
    R"( "sliding_attention": {"rope_theta": 10000, "partial_rotary_factor": 1}})";
constexpr std::string_view mellum =
    R"({"full_attention": {"rope_theta": 500000}, "sliding_attention": {"rope_theta": 10000}})";
constexpr std::string_view zaya =
    R"({"hybrid": {"rope_theta": 5000000, "partial_rotary_factor": 0.5},)"
    R"( "hybrid_sliding": {"rope_theta": 10000, "partial_rotary_factor": 0.5}})";

constexpr std::string_view lfm3_rope =
    R"({"sliding_attention": {"rope_theta": 10000}, "full_attention":)"
    R"( {"rope_type": "proportional", "rope_theta": 1000000, "partial_rotary_factor": 0.5}})";
constexpr std::string_view beam =
    R"({"full_attention": null, "sliding_attention": {"rope_theta": 10000}})";
constexpr std::string_view ultrabert =
    R"({"full_attention": {"rope_theta": 2560000}, "sliding_attention": {"rope_theta": 10000}})";

constexpr LayerRule every_second{.period = 2};
constexpr LayerRule every_fourth{.period = 4};
constexpr LayerRule first_of_four{.period = 4, .shift = 0};
constexpr LayerRule gemma3{.period = 6, .period_key = "sliding_window_pattern"};
constexpr LayerRule modernbert{.period = 3, .shift = 0, .period_key = "global_attn_every_n_layers"};
constexpr LayerRule pattern_of_four{.period = 4, .period_key = "sliding_window_pattern"};
constexpr LayerRule linear_of_four{
    .period = 4, .period_key = "full_attention_interval", .other = linear_kind};
constexpr LayerRule afmoe{.period = 4, .period_key = "global_attn_every_n_layers"};
constexpr LayerRule lfm2{.other = "conv", .list_key = "full_attn_idxs", .indices = true};
constexpr LayerRule minimax{
    .period = 2, .shift = 0, .other = linear_kind, .list_key = "attn_type_list"};

constexpr LocalRule gemma_local{.key = "rope_local_base_freq", .full_base = 1000000};
constexpr LocalRule modernbert_local{.full_key = "global_rope_theta",
                                     .key = "local_rope_theta",
                                     .full_base = 160000,
                                     .scaled = true};
constexpr LocalRule olmo3_local{.full_base = 500000, .base = 500000};

}  // namespace

std::span<const ModelRow> layered_rows() {
  static constexpr ModelRow rows[] = {
      // One rope; some layers have a window.
      {.types = "gemma2 vaultgemma t5_gemma_module", .layers = every_second},
      {.types = "gpt_oss",
       .rope = {.base = 150000, .scaling = gpt_oss},
       .layers = every_second,
       .window = {.everywhere = true}},
      {.types = "cwm",
       .rope = {.base = 1000000, .scaling = cwm},
       .layers = first_of_four,
       .window = {.everywhere = true}},
      {.types = "ministral", .window = {.everywhere = true}},
      {.types = "kolibri1", .layers = {.period = 5}},
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
       .read = read_local},
      {.types = "gemma3n_text", .layers = {.period = 5}, .local = gemma_local, .read = read_local},
      {.types = "t5gemma2_text t5gemma2_decoder",
       .layers = gemma3,
       .local = gemma_local,
       .read = read_local},
      {.types = "olmo3",
       .rope = {.base = 500000},
       .layers = every_fourth,
       .local = olmo3_local,
       .read = read_local},
      {.types = "modernbert modernbert-decoder",
       .layers = modernbert,
       .local = modernbert_local,
       .window = {.key = "local_attention", .alone = true, .size = 128},
       .read = read_modernbert},
      {.types = "pe_audio:text",
       .rope = {.sizes = {1024, 16, 22, 8192}},
       .layers = modernbert,
       .local = modernbert_local,
       .window = {.key = "local_attention", .alone = true, .size = 128},
       .read = read_modernbert},
      {.types = "laguna", .rope = {.fraction = 1, .scaling = laguna}},
      {.types = "mellum", .rope = {.fraction = 1, .share = ShareKey::inside, .scaling = mellum}},
      {.types = "zaya", .rope = {.fraction = 1, .scaling = zaya}, .layers = {.kind = "hybrid"}},
      {.types = "beam",
       .rope = {.scaling = beam},
       .layers = {.period = 6, .last = true},
       .trap =
           "Layers without rotation multiply queries by (1 + (p + 1) / 2048)^0.1: they need the "
           "position too."},
      {.types = "ultrabert",
       .rope = {.scaling = ultrabert},
       .layers = {.period = 3, .list_key = "attention_windows", .listed_are_full = false},
       .read = read_step3p5},
      {.types = "granite_swa granitemoe_swa", .layers = first_of_four, .read = read_layer_bases},

      // Attention in some layers only.
      {.types = "qwen3_next",
       .rope = {.fraction = 0.25},
       .layers = linear_of_four,
       .turns = TurningLayers::full_only,
       .window = {.asked = true}},
      {.types = "qwen3_5_text qwen3_5_moe_text",
       .rope = {.fraction = 0.25,
                .coordinates = RopeCoordinates::alternating,
                .sections = {11, 11, 10}},
       .layers = linear_of_four,
       .turns = TurningLayers::full_only,
       .window = {.asked = true}},
      {.types = "lfm2 lfm2_moe", .layers = lfm2},
      {.types = "lfm3",
       .rope = {.base = 1000000, .scaling = lfm3_rope},
       .layers = {.cycle = "sliding_attention conv full_attention conv", .first = "conv"}},
      {.types = "minimax minimax_text_01 minimax_m1",
       .rope = {.fraction = 1, .share = ShareKey::nowhere},
       .layers = minimax,
       .turns = TurningLayers::full_only,
       .window = {.everywhere = true},
       .trap = rotary_dim_unread},
      {.types = "bamba",
       .rope = {.fraction = 0.5},
       .layers = {.other = linear_kind, .list_key = "attn_layer_indices", .indices = true}},
      {.types = "falcon_h1"},

      // A list says which layers turn.
      {.types = "llama4_text", .rope = {.layout = interleaved}, .read = read_llama4},
      {.types = "smollm3", .window = {.everywhere = true}, .read = read_no_rope_layers},
  };
  return rows;
}

}  // namespace posenc::model
