// text_layered.cc: text models whose layers differ in window, base or whether they turn, as data.
#include "model/families/text_special.h"

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
                                     .scaled = true,
                                     .window_key = "local_attention"};
constexpr LocalRule olmo3_local{.full_base = 500000, .base = 500000};

}  // namespace

std::span<const TextRule> layered_rules() {
  static const TextRule rules[] = {
      // One rope; some layers have a window.
      {"gemma2", {}, every_second},
      {"vaultgemma", {}, every_second},
      {"t5_gemma_module", {}, every_second},
      {"gpt_oss", {.base = 150000, .scaling = gpt_oss}, every_second},
      {"cwm", {.base = 1000000, .scaling = cwm}, first_of_four},
      {"ministral"},
      {"kolibri1", {}, {.period = 5}},
      {"flint", {}, {.period = 4, .shift = 3, .leading = 2, .last = true}},

      // Layers that see everything have no position.
      {"cohere2", {.layout = interleaved}, pattern_of_four, Turns::sliding_only},
      {"afmoe", {}, afmoe, Turns::sliding_only},

      // Two bases.
      {"gemma3_text embedding_gemma",
       {.sizes = {2304, 8, 26, 131072, 256}},
       gemma3,
       {},
       gemma_local,
       read_local},
      {"gemma3n_text", {}, {.period = 5}, {}, gemma_local, read_local},
      {"t5gemma2_text t5gemma2_decoder", {}, gemma3, {}, gemma_local, read_local},
      {"olmo3", {.base = 500000}, every_fourth, {}, olmo3_local, read_local},
      {"modernbert modernbert-decoder", {}, modernbert, {}, modernbert_local, read_modernbert},
      {"pe_audio:text",
       {.sizes = {1024, 16, 22, 8192}},
       modernbert,
       {},
       modernbert_local,
       read_modernbert},
      {"laguna", {.fraction = 1, .scaling = laguna}},
      {"mellum", {.fraction = 1, .share = ShareKey::inside, .scaling = mellum}},
      {"zaya", {.fraction = 1, .scaling = zaya}, {.kind = "hybrid"}},
      {"beam",
       {.scaling = beam},
       {.period = 6, .last = true},
       {},
       {},
       nullptr,
       "Layers without rotation multiply queries by (1 + (p + 1) / 2048)^0.1: they need the "
       "position too."},
      {"ultrabert",
       {.scaling = ultrabert},
       {.period = 3, .list_key = "attention_windows", .listed_are_full = false},
       {},
       {},
       read_step3p5},
      {"granite_swa", {}, first_of_four, {}, {}, read_layer_bases},
      {"granitemoe_swa", {}, first_of_four, {}, {}, read_layer_bases},

      // Attention in some layers only.
      {"qwen3_next", {.fraction = 0.25}, linear_of_four, Turns::full_only},
      {"qwen3_5_text",
       {.fraction = 0.25, .coordinates = Coordinates::alternating, .sections = {11, 11, 10}},
       linear_of_four,
       Turns::full_only},
      {"qwen3_5_moe_text",
       {.fraction = 0.25, .coordinates = Coordinates::alternating, .sections = {11, 11, 10}},
       linear_of_four,
       Turns::full_only},
      {"lfm2", {.base = 1000000}, lfm2},
      {"lfm3",
       {.base = 1000000, .scaling = lfm3_rope},
       {.cycle = "sliding_attention conv full_attention conv", .first = "conv"}},
      {"lfm2_moe", {.base = 1000000}, lfm2},
      {"minimax minimax_text_01 minimax_m1",
       {.sizes = {4096, 32, 32, 131072},
        .base = 1000000,
        .fraction = 1,
        .share = ShareKey::nowhere},
       minimax,
       Turns::full_only,
       {},
       nullptr,
       rotary_dim_unread},
      {"bamba",
       {.fraction = 0.5},
       {.other = linear_kind, .list_key = "attn_layer_indices", .indices = true}},
      {"falcon_h1"},

      // A list says which layers turn.
      {"llama4_text", {.base = 500000, .layout = interleaved}, {}, {}, {}, read_no_rope_layers},
      {"smollm3", {.base = 2000000}, {}, {}, {}, read_no_rope_layers},
  };
  return rules;
}

}  // namespace posenc::model
