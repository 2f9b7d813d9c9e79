// text_layers.cc: text models whose layers turn alike, by kind, or in part.
#include <algorithm>

#include "model/families/text_rules.h"

namespace posenc::model {
namespace {

bool turns(Turns which, std::string_view kind) {
  switch (which) {
    case Turns::sliding_only:
      return is_sliding(kind);
    case Turns::full_only:
      return is_full(kind);
    default:
      return is_attention(kind);
  }
}

std::vector<int64_t> turning_layers(const TextRule& rule, const Kinds& kinds) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (turns(rule.turns, kinds[i])) out.push_back(static_cast<int64_t>(i));
  return out;
}

// Attention layers that have no position.
void add_still_layers(const Reading& reading, const TextRule& rule, const Kinds& kinds,
                      Component& component) {
  std::vector<double> still;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (is_attention(kinds[i]) && !turns(rule.turns, kinds[i]))
      still.push_back(static_cast<double>(i));
  if (still.empty()) return;
  set_fact(component, "nope_layers", std::move(still));
  reading.trap(
      "Some layers have no position: rotating their queries and keys too goes unnoticed "
      "in short texts and spoils long ones.");
}

// A component for each kind that has an object in rope_parameters.
void read_entries(const Reading& reading, const TextRule& rule, const Kinds& kinds) {
  Kinds seen;
  for (const std::string_view first : {full, sliding})
    if (std::find(kinds.begin(), kinds.end(), first) != kinds.end()) seen.emplace_back(first);
  for (const std::string& kind : kinds)
    if (is_attention(kind) && std::find(seen.begin(), seen.end(), kind) == seen.end())
      seen.push_back(kind);
  for (const std::string& kind : seen) {
    RopePart part{.where = reading.where + ", " + kind_name(kind), .entry = kind};
    for (size_t i = 0; i < kinds.size(); ++i)
      if (kinds[i] == kind) part.layers.push_back(static_cast<int64_t>(i));
    Component out = rope_component(reading, rule.rope, part);
    if (kind.find("sliding") != kind.npos) add_window(reading, {}, out);
    reading.add(std::move(out));
  }
}

}  // namespace

void read_alike(const Reading& reading, const TextRule& rule) {
  const Kinds kinds = layer_kinds(reading.config, rule.rope.sizes, rule.layers);
  if (has_rope_entries(reading.config, rule.rope)) return read_entries(reading, rule, kinds);
  RopePart part{.base_key = rule.local.full_key};
  const auto layers = turning_layers(rule, kinds);
  if (layers.empty() && !kinds.empty())
    return add_none(reading, "none of the layers has attention that turns");
  if (layers.size() < kinds.size()) part.layers = layers;
  Component out = rope_component(reading, rule.rope, part);
  add_window(reading, kinds, out);
  add_still_layers(reading, rule, kinds, out);
  reading.add(std::move(out));
}

void read_local(const Reading& reading, const TextRule& rule) {
  const Kinds kinds = layer_kinds(reading.config, rule.rope.sizes, rule.layers);
  const LocalRule& local = rule.local;
  RopePart part{.where = reading.where + ", full layers", .entry = full};
  part.layers = layers_where(kinds, is_full);
  part.base_key = local.full_key;
  part.base = local.full_base;
  part.reads_base = local.full_key.empty();
  if (!part.layers.empty()) reading.add(rope_component(reading, rule.rope, part));

  part = {.where = reading.where + ", sliding layers", .entry = sliding};
  part.layers = layers_where(kinds, is_sliding);
  part.base_key = local.key;
  part.base = local.base;
  part.reads_base = local.key.empty();
  part.scaled = local.scaled;
  if (part.layers.empty()) return;
  Component out = rope_component(reading, rule.rope, part);
  if (local.window_key.empty())
    add_window(reading, {}, out);
  else
    set_fact(out, "window", reading.config.whole({local.window_key}, 128, by_class));
  reading.add(std::move(out));
  reading.trap("Full and sliding layers have each a base of their own" +
               std::string(local.scaled ? "" : ", and rope_scaling is for the full ones only") +
               ": one table for all layers is wrong.");
}

void read_no_rope_layers(const Reading& reading, const TextRule& rule) {
  const Config& config = reading.config;
  const int64_t layers = layers_of(config, rule.rope.sizes);
  auto flags = layer_flags(config, "no_rope_layers", layers);
  if (!flags) {
    const int64_t every =
        config.has("no_rope_layer_interval")
            ? config.needed({"no_rope_layer_interval"}, "the period of layers without position")
            : config.whole({"no_rope_layer_interval"}, 4, by_class);
    flags.emplace();
    for (int64_t i = 0; i < layers; ++i) flags->push_back((i + 1) % every != 0);
  }
  RopePart part;
  std::vector<double> still;
  for (int64_t i = 0; i < layers; ++i) {
    if ((*flags)[static_cast<size_t>(i)])
      part.layers.push_back(i);
    else
      still.push_back(static_cast<double>(i));
  }
  if (part.layers.empty()) return add_none(reading, "no_rope_layers turns every layer off");
  if (still.empty()) part.layers.clear();
  Component out = rope_component(reading, rule.rope, part);
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  add_window(reading, kinds, out);
  set_fact(out, "nope_layers", still);
  if (config.flag({"attn_temperature_tuning"}).value_or(reading.type == "llama4_text")) {
    set_fact(out, "attn_temperature_tuning", true);
    set_fact(out, "floor_scale", config.number({"floor_scale"}, 8192, by_class));
    set_fact(out, "attn_scale", config.number({"attn_scale"}, 0.1, by_class));
    reading.trap(
        "Layers without rotation multiply queries by "
        "1 + attn_scale log(1 + floor((p + 1) / floor_scale)): they need the position too.");
  }
  reading.trap("no_rope_layers is misnamed: 1 is a layer that turns, 0 one without position.");
  reading.add(std::move(out));
}

void read_layer_bases(const Reading& reading, const TextRule& rule) {
  const Config& config = reading.config;
  const auto list = config.numbers({"layer_rope_theta"});
  if (!list) return read_alike(reading, rule);
  const int64_t layers = layers_of(config, rule.rope.sizes);
  if (std::ssize(*list) < layers)
    fail(ErrorKind::data, "read", "expected ", config.path(), "layer_rope_theta for ", layers,
         " layers, got ", list->size());
  std::vector<double> bases(list->begin(), list->begin() + layers);
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  std::vector<double> seen{0}, still;
  for (int64_t i = 0; i < layers; ++i)
    if (bases[static_cast<size_t>(i)] == 0) still.push_back(static_cast<double>(i));
  for (const double base : bases) {
    if (!(base >= 0 && base <= 1e300))
      fail(ErrorKind::data, "read", "expected ", config.path(),
           "layer_rope_theta of 0 and more, got ", base);
    if (std::find(seen.begin(), seen.end(), base) != seen.end()) continue;
    seen.push_back(base);
    RopePart part{.where = reading.where};
    for (int64_t i = 0; i < layers; ++i)
      if (bases[static_cast<size_t>(i)] == base) part.layers.push_back(i);
    if (std::ssize(part.layers) == layers)
      part.layers.clear();
    else
      part.where += ", layers of base " + text::write(base);
    part.given = base;
    Component out = rope_component(reading, rule.rope, part);
    if (!still.empty()) set_fact(out, "nope_layers", still);
    add_window(reading, kinds, out);
    reading.add(std::move(out));
  }
  if (seen.size() == 1) add_none(reading, "layer_rope_theta is 0 for every layer");
}

void add_none(const Reading& reading, std::string_view why) {
  Component out{.where = reading.where, .scheme = "none", .facts = {}};
  out.facts.emplace_back("note", std::string(why));
  reading.add(std::move(out));
}

void read_none(const Reading& reading, const TextRule&) {
  ignore_rope(reading.config, "this model's attention has no position");
  reading.config.pass({"max_position_embeddings", "sliding_window", "layer_types"});
  add_none(reading, "attention layers, where there are any, apply no position");
}

}  // namespace posenc::model
