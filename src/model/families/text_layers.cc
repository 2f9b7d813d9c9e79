// text_layers.cc: text models whose layers turn alike, by kind, or in part.
#include <algorithm>

#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

bool turns(TurningLayers which, std::string_view kind) {
  switch (which) {
    case TurningLayers::sliding_only:
      return is_sliding(kind);
    case TurningLayers::full_only:
      return is_full(kind);
    default:
      return is_attention(kind);
  }
}

std::vector<int64_t> turning_layers(const ModelRow& rule, const Kinds& kinds) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (turns(rule.turns, kinds[i])) out.push_back(static_cast<int64_t>(i));
  return out;
}

// Attention layers that have no position.
void add_still_layers(const Reading& reading, const ModelRow& rule, const Kinds& kinds,
                      Component& component) {
  std::vector<double> still;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (is_attention(kinds[i]) && !turns(rule.turns, kinds[i]))
      still.push_back(static_cast<double>(i));
  if (still.empty()) return;
  set_fact(component, "nope_layers", std::move(still));
  reading.trap(
      "Some layers have no position: rotating their queries and keys too goes unnoticed in short "
      "texts and breaks long ones.");
}

// What rope_parameters and sliding_window say of kinds that no layer is.
void ignore_entries(const Config& config, const Kinds& seen) {
  const auto is_seen = [&](std::string_view kind) {
    return std::any_of(seen.begin(), seen.end(),
                       [&](const std::string& s) { return s.find(kind) != s.npos; });
  };
  if (!is_seen("sliding")) config.ignore({"sliding_window"}, "no layer has a window");
  const auto entries = config.inside({"rope_parameters"});
  if (!entries) return;
  for (const std::string& kind : entries->keys()) {
    const Json* entry = entries->json().find(kind);
    if (!entry || !entry->object() || is_seen(kind)) continue;
    entries->ignore({kind}, "no layer is of that kind");
    for (const auto& member : *entry->object()) entries->inside({kind})->pass({member.first});
  }
}

// A component for each kind that has an object in rope_parameters.
void read_entries(const Reading& reading, const ModelRow& rule, const Kinds& kinds) {
  Kinds seen;
  for (const std::string_view first : {full, sliding})
    if (std::find(kinds.begin(), kinds.end(), first) != kinds.end()) seen.emplace_back(first);
  for (const std::string& kind : kinds)
    if (is_attention(kind) && std::find(seen.begin(), seen.end(), kind) == seen.end())
      seen.push_back(kind);
  for (const std::string& kind : seen)
    add_layers(reading, rule, layers_of_kind(reading, kinds, kind));
  ignore_entries(reading.config, seen);
}

}  // namespace

RopePart layers_of_kind(const Reading& reading, const Kinds& kinds, std::string_view kind) {
  RopePart out{.where = reading.where + ", " + kind_name(kind), .entry = kind};
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] == kind) out.layers.push_back(static_cast<int64_t>(i));
  return out;
}

void add_layers(const Reading& reading, const ModelRow& rule, const RopePart& part) {
  if (part.layers.empty()) return;
  Component out = rope_component(reading, rule.rope, part);
  if (part.entry.find("sliding") != part.entry.npos) add_window(reading, rule.window, {}, out);
  reading.add(std::move(out));
}

void read_alike(const Reading& reading, const ModelRow& rule) {
  const Kinds kinds = layer_kinds(reading.config, rule.rope.sizes, rule.layers);
  if (has_rope_entries(reading.config, rule.rope)) return read_entries(reading, rule, kinds);
  RopePart part{.base_key = rule.local.full_key};
  const auto layers = turning_layers(rule, kinds);
  if (layers.empty() && !kinds.empty())
    return add_none(reading, "none of the layers has rotary attention");
  if (layers.size() < kinds.size()) part.layers = layers;
  Component out = rope_component(reading, rule.rope, part);
  add_own_window(reading, rule.window, kinds, out);
  add_still_layers(reading, rule, kinds, out);
  reading.add(std::move(out));
}

namespace {

void tell(const Reading& reading, const std::string& text) {
  reading.config.note(NoteKind::conflict, text, reading.where);
}

// These classes of transformers 5 read an object for each kind of layer.
void tell_flat_entry(const Reading& reading) {
  const Json* entry = reading.config.json().find("rope_parameters");
  const Json* older = reading.config.json().find("rope_scaling");
  if ((older && !older->is_null()) || !entry || !entry->object() || entry->object()->empty() ||
      has_rope_entries(reading.config, {}))
    return;
  tell(reading,
       "rope_parameters holds no object for each kind of layer: it is read here as that of full "
       "layers; transformers 5 does not read it");
}

// transformers 5 gives rope_theta to the full layers, and then it is gone.
void tell_sliding_base(const Reading& reading, double base) {
  const Config& config = reading.config;
  if (has_rope_entries(config, {}) || !config.has("rope_theta")) return;
  if (config.compared("rope_theta") != base)
    tell(reading,
         "rope_theta is the base of all layers here and in transformers 4; transformers "
         "5 gives it to full layers only, and " +
             text::write(base) + " to sliding ones");
}

}  // namespace

void tell_older_type(const Reading& reading) {
  const Json* scaling = reading.config.json().find("rope_scaling");
  if (scaling && scaling->find("type") && !scaling->find("rope_type"))
    tell(reading,
         "rope_scaling.type is read here and by transformers 4; transformers 5 reads only "
         "rope_type, and drops the length rule");
}

void read_local(const Reading& reading, const ModelRow& rule) {
  const Kinds kinds = layer_kinds(reading.config, rule.rope.sizes, rule.layers);
  const LocalRule& local = rule.local;
  RopePart part = layers_of_kind(reading, kinds, full);
  part.base_key = local.full_key;
  part.base = local.full_base;
  part.reads_base = local.full_key.empty();
  add_layers(reading, rule, part);

  tell_older_type(reading);
  tell_flat_entry(reading);
  if (local.key.empty()) tell_sliding_base(reading, local.base);
  part = layers_of_kind(reading, kinds, sliding);
  part.base_key = local.key;
  part.base = local.base;
  part.reads_base = local.key.empty();
  part.scaled = local.scaled;
  if (part.layers.empty()) return;
  add_layers(reading, rule, part);
  reading.trap("Full and sliding layers each have their own base" +
               std::string(local.scaled ? "" : ", and rope_scaling is for the full ones only") +
               ": one table for all layers is wrong.");
}

namespace {

void read_listed(const Reading& reading, const ModelRow& rule, bool tuned) {
  const Config& config = reading.config;
  const StillLayers layers = still_layers(config, rule.rope.sizes);
  if (layers.turning.empty()) return add_none(reading, "no_rope_layers turns every layer off");
  RopePart part;
  if (!layers.still.empty()) part.layers = layers.turning;
  Component out = rope_component(reading, rule.rope, part);
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  add_own_window(reading, rule.window, kinds, out);
  set_fact(out, "nope_layers", layers.still);
  if (config.flag({"attn_temperature_tuning"}).value_or(tuned)) {
    set_fact(out, "attn_temperature_tuning", true);
    set_fact(out, "floor_scale", config.number({"floor_scale"}, 8192, by_class));
    set_fact(out, "attn_scale", config.number({"attn_scale"}, 0.1, by_class));
    reading.trap(
        "Layers without rotation multiply queries by "
        "1 + attn_scale log(1 + floor((p + 1) / floor_scale)): they need the position too.");
  }
  reading.trap("no_rope_layers is misnamed: 1 is a layer with rotation, 0 one without position.");
  reading.add(std::move(out));
}

}  // namespace

void read_no_rope_layers(const Reading& reading, const ModelRow& rule) {
  read_listed(reading, rule, false);
}
void read_llama4(const Reading& reading, const ModelRow& rule) { read_listed(reading, rule, true); }

void add_none(const Reading& reading, std::string_view why) {
  Component out{reading.where, "none"};
  out.facts.emplace_back("note", std::string(why));
  reading.add(std::move(out));
}

void read_none(const Reading& reading, const ModelRow&) {
  ignore_rope(reading.config, "this model's attention has no position");
  reading.config.pass({"max_position_embeddings", "sliding_window", "layer_types",
                       "qk_rope_head_dim", "qk_nope_head_dim"});
  add_none(reading, "attention layers, where there are any, apply no position");
}

}  // namespace posenc::model
