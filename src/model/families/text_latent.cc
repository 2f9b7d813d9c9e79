// text_latent.cc: models whose latent attention turns the last part of a head, and the one shared
// key beside it (DeepSeek and what grew from it).
#include <algorithm>
#include <cmath>

#include "model/families/parts.h"
#include "model/families/text_readers.h"

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

Component whole_head(const Reading& reading, RopeRule rope, const RopePart& part) {
  reading.config.pass({"qk_nope_head_dim", "qk_rope_head_dim", "rope_interleave"});
  rope.latent = false, rope.sizes.head = 0, rope.layout = Layout::half;
  Component out = rope_component(reading, rope, part);
  set_fact(out, "note", "use_mla is false: the whole head is rotated, in halves");
  return out;
}

Component latent_component(const Reading& reading, const ModelRow& rule, const RopePart& part) {
  const Config& config = reading.config;
  RopeRule rope = rule.rope;
  if (!is_latent(config)) return whole_head(reading, rope, part);
  if (config.flag({"rope_interleave"}) == false) rope.layout = Layout::half;
  Component out = rope_component(reading, rope, part);
  const Rope* ready = rope_of(out);
  if (!ready) return out;
  set_fact(out, "rotated_part", std::string(part_of_head));
  add_scale(reading, *ready, out);
  if (out.find("softmax_factor"))
    reading.trap(
        "YaRN's magnitude is on the softmax scale here, squared; an engine that puts it "
        "on cosines and sines as well counts it twice.");
  if (rope.layout == Layout::interleaved)
    reading.trap(
        "Pairs are neighbours (2i, 2i+1); transformers writes the rotated part with evens before "
        "odds, which leaves scores as they are but not cached keys.");
  return out;
}

}  // namespace

void read_latent(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const bool still = rule.turns == TurningLayers::nothing;  // linear layers tell positions
  if (config.flag({"mla_use_nope"}).value_or(still)) return read_none(reading, rule);
  config.pass({"layer_types"});  // which keys a layer looks at, not where they stand
  RopePart part;
  if (rule.layers.period > 0)
    part.layers = layers_where(layer_kinds(config, rule.rope.sizes, rule.layers), is_attention);
  reading.add(latent_component(reading, rule, part));
}

namespace {

// The rotated features of a head in dots3's sliding layers: from per_layer_config, which
// transformers 5 writes, or from the older keys.
int64_t sliding_head(const Config& config, int64_t layer) {
  const std::string_view what = "the part of a sliding head that rotates";
  const auto or_class = [&](std::string_view key, int64_t of_class) {
    return config.has(key) ? config.needed({key}, what) : of_class;
  };
  if (config.has("per_layer_config")) {
    const auto own = own_keys(config, layer);
    return own && own->has("qk_rope_head_dim") ? own->needed({"qk_rope_head_dim"}, what)
                                               : size_of(config, "qk_rope_head_dim");
  }
  if (config.has("swa_qk_rope_head_dim")) return config.needed({"swa_qk_rope_head_dim"}, what);
  const int64_t whole = or_class("swa_head_dim", 256);
  return whole - or_class("swa_qk_nope_head_dim", 192);
}

}  // namespace

// Sliding layers have a base and sizes of their own.
void read_dots3(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  LayerRule layers = rule.layers;
  if (!config.flag({"use_sliding_window"}).value_or(true)) layers.period = 1;
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, layers);
  // With per_layer_config, layer_types names indexed layers; without it, full ones are indexed.
  const bool written = config.has("per_layer_config");
  const bool any_full = std::any_of(kinds.begin(), kinds.end(), is_full);
  const bool indexed = config.flag({"use_dsa"}).value_or(!written || !any_full);
  RopePart wide{.where = reading.where + ", full layers",
                .entry = indexed ? "indexed_attention" : full,
                .optional = true};
  wide.layers = layers_where(kinds, [](std::string_view kind) { return !is_sliding(kind); });
  if (!wide.layers.empty()) reading.add(latent_component(reading, rule, wide));
  for (int64_t i = 0; i < std::ssize(kinds); ++i)  // those of a kind have the sizes of the first
    if (const auto own = own_keys(config, i)) own->pass({"qk_nope_head_dim", "qk_rope_head_dim"});
  RopePart narrow{.where = reading.where + ", sliding layers", .entry = sliding, .optional = true};
  narrow.layers = layers_where(kinds, is_sliding);
  const bool shared =  // one object, for layers of both kinds
      config.has({"rope_parameters", "rope_scaling"}) && !has_rope_entries(config, {});
  if (shared) {
    config.ignore({rule.local.key}, "one object of rope parameters is for all layers");
  } else {
    narrow.base_key = rule.local.key;
    narrow.base = rule.local.base;
    narrow.reads_base = false;
  }
  config.pass({"swa_head_dim", "swa_qk_nope_head_dim", "swa_qk_rope_head_dim"});
  if (narrow.layers.empty()) return;
  narrow.head = sliding_head(config, narrow.layers.front());
  Component out = rope_component(reading, rule.rope, narrow);
  set_fact(out, "rotated_part", std::string(part_of_head));
  set_fact(out, "window",
           config.whole({"sliding_window", "sliding_window_size"}, rule.window.size, by_class));
  reading.add(std::move(out));
}

void read_mistral_large4(const Reading& reading, const ModelRow& rule) {
  reading.config.pass({"layer_types"});
  const StillLayers layers = still_layers(reading.config, rule.rope.sizes);
  if (layers.turning.empty()) return add_none(reading, "no_rope_layers turns every layer off");
  RopePart part;
  if (!layers.still.empty()) part.layers = layers.turning;
  Component out = latent_component(reading, rule, part);
  set_fact(out, "nope_layers", layers.still);
  set_fact(out, "frequency_factors", "exp(rotary_emb.alpha), a learned number of each pair");
  out.ready.reset();
  reading.trap(
      "Frequencies are multiplied by exp(rotary_emb.alpha), which is trained and stored in the "
      "weights; queries are multiplied by a learned linear function of log(p + 1).");
  reading.add(std::move(out));
}

namespace {

constexpr std::string_view compressed_kind = "compressed";

// Which layers attend within a window, and which to compressed keys: compress_ratios, 0 a window.
Kinds deepseek_v4_kinds(const Config& config, const ClassSizes& sizes) {
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

// transformers sets the magnitude in the older spelling only.
void tell_magnitude(const Reading& reading) {
  const auto all = reading.config.inside({"rope_parameters"});
  const Json* entry = all ? all->json().find("compress") : nullptr;
  if (entry && entry->object() && entry->find("factor") && !entry->find("attention_factor"))
    all->note(NoteKind::conflict,
              "compress has no attention_factor: the reference multiplies cosines and sines by 1, "
              "transformers 5 by what YaRN computes from the factor",
              reading.where);
}

// The share of a head that the same number of features makes; transformers 5 reads another one.
void tell_share(const Config& config, int64_t head, int64_t turning) {
  const auto share = config.compared("partial_rotary_factor");
  if (share && *share * static_cast<double>(head) != static_cast<double>(turning))
    config.conflict("partial_rotary_factor = " + text::write(*share) +
                    " is not read: qk_rope_head_dim = " + text::write(turning) +
                    " is; transformers 5 takes the former");
}

bool is_compressed(std::string_view kind) { return kind == compressed_kind; }

}  // namespace

void read_deepseek_v4(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const Kinds kinds = deepseek_v4_kinds(config, rule.rope.sizes);
  RopeRule rope = rule.rope;
  const int64_t head = head_dim_of(config, rope.sizes);
  std::optional<int64_t> turning;
  if (config.has("qk_rope_head_dim"))
    turning = config.needed({"qk_rope_head_dim"}, "the features that rotate");
  if (turning) tell_share(config, head, *turning);
  RopePart part{.where = reading.where + ", sliding layers (compress ratio 0)", .entry = "main"};
  part.head = head, part.turning = turning;
  part.scaled = false;
  part.layers = layers_where(kinds, is_sliding);
  const auto add = [&] {
    Component out = rope_component(reading, rope, part);
    const auto all = turning ? config.inside({"rope_parameters"}) : std::nullopt;
    if (all && all->json().find(part.entry) && all->json().find(part.entry)->object())
      tell_share(*all->inside({part.entry}), head, *turning);
    add_window(reading, rule.window, {},
               out);  // compressed keys are seen beside those of the window
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
  tell_magnitude(reading);
  add();
  reading.trap(
      "Layers with compressed keys have their own base and length rule; the magnitude of YaRN is "
      "1.");
}

}  // namespace posenc::model
