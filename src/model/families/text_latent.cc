// text_latent.cc: models whose latent attention turns the last part of a head, and the one shared
// key beside it (DeepSeek and what grew from it).
#include <algorithm>
#include <cmath>

#include "model/families/text_rules.h"

namespace posenc::model {
namespace {

constexpr std::string_view part_of_head =
    "last qk_rope_head_dim of each q head; one shared k_pe per token";

bool is_latent(const Config& config) {
  if (config.flag({"use_mla"}) == false) return false;
  return config.whole({"qk_rope_head_dim"}).value_or(1) != 0;
}

void add_scale(const Reading& reading, const Rope& rope, Component& out) {
  const Config& config = reading.config;
  const auto nope = config.whole({"qk_nope_head_dim"});
  if (!nope || *nope < 0 || *nope > max_size) return;
  const Value* factor = out.find("softmax_factor");
  const double both = static_cast<double>(*nope + rope.dim);
  set_fact(out, "qk_nope_head_dim", *nope);
  if (const auto rank = config.whole({"kv_lora_rank"})) set_fact(out, "kv_lora_rank", *rank);
  set_fact(out, "softmax_scale", (factor ? std::get<double>(*factor) : 1.0) / std::sqrt(both));
}

}  // namespace

void read_latent(const Reading& reading, const TextRule& rule) {
  const Config& config = reading.config;
  if (config.flag({"mla_use_nope"}) == true) return read_none(reading, rule);
  RopeRule rope = rule.rope;
  if (!is_latent(config)) {
    config.pass({"qk_nope_head_dim", "qk_rope_head_dim", "rope_interleave"});
    rope.head_key = {}, rope.sizes.head = 0, rope.layout = Layout::half;
    rope.scales_softmax = false;
    Component out = rope_component(reading, rope);
    set_fact(out, "note", "use_mla is false: the whole head turns, in halves");
    return reading.add(std::move(out));
  }
  if (config.flag({"rope_interleave"}) == false) rope.layout = Layout::half;
  Component out = rope_component(reading, rope);
  const Rope* ready = rope_of(out);
  if (!ready) return reading.add(std::move(out));
  set_fact(out, "rotated_part", std::string(part_of_head));
  add_scale(reading, *ready, out);
  if (out.find("softmax_factor"))
    reading.trap(
        "YaRN's magnitude is on the softmax scale here, squared; an engine that puts it "
        "on cosines and sines as well counts it twice.");
  if (rope.layout == Layout::interleaved)
    reading.trap(
        "Pairs are neighbours (2i, 2i+1); transformers writes the turned part with evens "
        "before odds, which leaves scores as they are but not cached keys.");
  if (reading.type == "deepseek_v32")
    reading.trap("The indexer turns halves (i, i + n/2), unlike the attention beside it.");
  reading.add(std::move(out));
}

namespace {

constexpr std::string_view compressed_kind = "compressed";

// Which layers attend within a window, and which to compressed keys: compress_ratios, 0 a window.
Kinds deepseek_v4_kinds(const Config& config, const Sizes& sizes) {
  const int64_t layers = layers_of(config, sizes);
  Kinds out(static_cast<size_t>(layers), std::string(compressed_kind));
  if (const auto types = config.texts({"layer_types"})) {
    for (int64_t i = 0; i < std::min<int64_t>(layers, std::ssize(*types)); ++i)
      if ((*types)[static_cast<size_t>(i)] == sliding) out[static_cast<size_t>(i)] = sliding;
    return out;
  }
  if (const auto flags = layer_flags(config, "compress_ratios", layers))
    for (size_t i = 0; i < flags->size(); ++i)
      if (!(*flags)[i]) out[i] = sliding;
  return out;
}

bool is_compressed(std::string_view kind) { return kind == compressed_kind; }

}  // namespace

void read_deepseek_v4(const Reading& reading, const TextRule& rule) {
  const Config& config = reading.config;
  const Kinds kinds = deepseek_v4_kinds(config, rule.rope.sizes);
  RopeRule rope = rule.rope;
  const int64_t head = head_dim_of(config, rope.sizes);
  std::optional<int64_t> turning;
  if (config.has("qk_rope_head_dim"))
    turning = config.needed({"qk_rope_head_dim"}, "the features that turn");
  RopePart part{.where = reading.where + ", sliding layers (compress ratio 0)", .entry = "main"};
  part.head = head, part.turning = turning;
  part.scaled = false;
  part.layers = layers_where(kinds, is_sliding);
  const auto add = [&] {
    Component out = rope_component(reading, rope, part);
    if (part.entry == "main") add_window(reading, {}, out);
    if (const Rope* ready = rope_of(out))
      set_fact(out, "rotated_part", "last " + std::to_string(ready->turning()) + " of the head");
    reading.add(std::move(out));
  };
  if (!part.layers.empty()) add();

  part = {.where = reading.where + ", compressed layers", .entry = "compress"};
  part.head = head, part.turning = turning;
  part.layers = layers_where(kinds, is_compressed);
  part.base_key = "compress_rope_theta";
  part.base = 160000;
  part.reads_base = false;
  if (part.layers.empty()) return;
  rope.magnitude = 1;
  add();
  reading.trap(
      "Layers with compressed keys have a base and a length rule of their own; the "
      "magnitude of YaRN is 1.");
}

}  // namespace posenc::model
