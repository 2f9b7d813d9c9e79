// text_groups.cc: text models whose groups of layers turn each in a way of its own.
#include <algorithm>

#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

int64_t full_head(const Config& config, const std::vector<int64_t>& layers) {
  for (const int64_t layer : layers)
    if (const auto own = own_keys(config, layer); own && own->has("head_dim"))
      return own->needed({"head_dim"}, "the head of full layers");
  return size_or(config, "global_head_dim", 512, "the head of full layers");
}

}  // namespace

void read_gemma4(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  if (!kinds.empty()) kinds.back() = full;
  RopePart part = layers_of_kind(reading, kinds, full);
  part.head = full_head(config, part.layers);
  Component out = rope_component(reading, rule.rope, part);
  if (const Rope* rope = rope_of(out)) {
    if (const auto* share = std::get_if<Proportional>(&rope->scaling)) {
      const double turning = share->partial_rotary_factor * static_cast<double>(rope->dim);
      set_fact(out, "nonzero_freqs", static_cast<int64_t>(turning) / 2);
      set_fact(out, "freq_denominator", rope->dim);
      reading.trap(
          "Full layers divide the exponent by the whole head and leave most pairs of each "
          "half unrotated; a table over the rotated part alone is wrong.");
    }
  }
  reading.add(std::move(out));
  add_layers(reading, rule, layers_of_kind(reading, kinds, sliding));
}

namespace {

// transformers reads rope_parameters only, where others read keys beside it.
void tell_default_base(const Reading& reading, std::string_view key, double base) {
  const Config& config = reading.config;
  if (config.has({"rope_parameters", "rope_scaling"}) || !config.has(key)) return;
  if (config.compared(key) != base)
    config.note(NoteKind::conflict,
                std::string(key) + " is not read by transformers 5, which takes " +
                    text::write(base) + "; the model's own code reads it",
                reading.where);
}

// "rope_parameters.factor = 4", but not the base and the share, which layers without the rule have.
bool is_of_length_rule(const std::string& key) {
  const bool inside = key.find("rope_parameters.") != std::string::npos ||
                      key.find("rope_scaling.") != std::string::npos;
  return inside && key.find(".rope_theta = ") == std::string::npos &&
         key.find(".partial_rotary_factor = ") == std::string::npos;
}

}  // namespace

void read_mimo(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  if (!config.has({"layer_types", "hybrid_layer_pattern"}) && !kinds.empty()) kinds[0] = full;
  RopePart part = layers_of_kind(reading, kinds, full);
  part.base = rule.local.full_base;
  add_layers(reading, rule, part);
  tell_default_base(reading, "rope_theta", rule.local.full_base);
  tell_default_base(reading, "swa_rope_theta", rule.local.base);
  part = layers_of_kind(reading, kinds, sliding);
  part.base_key = "swa_rope_theta";
  part.reads_base = false;
  if (config.has("swa_head_dim")) part.head = config.needed({"swa_head_dim"}, "a sliding head");
  if (part.layers.empty()) return;
  add_layers(reading, rule, part);
  config.pass({"sliding_window_size"});
}

// Step writes a base and a fraction for each layer; those of a kind are the first's. The length
// rule is for full layers.
void read_step3p5(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const Json* bases = config.json().find("rope_theta");
  const bool is_list = bases && bases->list();
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  const bool of_class = !rule.rope.scaling.empty();  // it has an entry for each kind
  const bool alike = of_class || layers_where(kinds, is_sliding).empty();
  if (!has_rope_entries(config, {})) tell_older_type(reading);
  if (has_rope_entries(config, {}) || (alike && !is_list)) return read_alike(reading, rule);
  const std::vector<double> listed =
      is_list ? *config.numbers({"rope_theta"})
              : std::vector<double>(kinds.size(),
                                    config.number({"rope_theta"}, rule.rope.base, by_class));
  const auto fractions = config.numbers({"partial_rotary_factors"});
  const int64_t head = head_dim_of(config, rule.rope.sizes);
  for (const std::string_view kind : {full, sliding}) {
    RopePart part = layers_of_kind(reading, kinds, kind);
    part.entry = {};  // one object is for both
    if (part.layers.empty()) continue;
    const auto first = static_cast<size_t>(part.layers[0]);
    if (first >= listed.size() || (fractions && first >= fractions->size()))
      config.fail("rope_theta and partial_rotary_factors for ", kinds.size(), " layers, got ",
                  listed.size());
    part.given = listed[first];
    part.scaled = kind == full;
    if (fractions) {
      const double fraction = (*fractions)[first];
      if (!(fraction > 0 && fraction <= 1))
        config.fail("partial_rotary_factors above 0 and at most 1, got ", fraction);
      part.turning = static_cast<int64_t>(static_cast<double>(head) * fraction);
    }
    Component out = rope_component(reading, rule.rope, part);
    if (kind == sliding) add_window(reading, rule.window, {}, out);
    reading.add(std::move(out));
  }
}

// What rope_parameters leaves out for a kind is filled in, the base from beside it first.
void read_neomme(const Reading& reading, const ModelRow& rule) {
  const Kinds kinds = layer_kinds(reading.config, rule.rope.sizes, rule.layers);
  for (const std::string_view kind : {full, sliding}) {
    RopePart part = layers_of_kind(reading, kinds, kind);
    part.optional = true;
    part.base = kind == full ? 1000000 : 10000;
    ModelRow own = rule;
    own.rope.fraction = kind == full ? 0.25 : 1;
    add_layers(reading, own, part);
  }
}

void read_layer_bases(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const auto list = config.numbers({"layer_rope_theta"});
  if (!list) return read_alike(reading, rule);
  const int64_t layers = layers_of(config, rule.rope.sizes);
  if (std::ssize(*list) < layers)
    config.fail("layer_rope_theta for ", layers, " layers, got ", list->size());
  std::vector<double> bases(list->begin(), list->begin() + layers);
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  std::vector<double> seen{0}, still;
  for (int64_t i = 0; i < layers; ++i)
    if (bases[static_cast<size_t>(i)] == 0) still.push_back(static_cast<double>(i));
  for (const double base : bases) {
    if (!(base >= 0 && base <= 1e300)) config.fail("layer_rope_theta of at least 0, got ", base);
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
    add_window(reading, rule.window, kinds, out);
    reading.add(std::move(out));
  }
  if (seen.size() == 1) add_none(reading, "layer_rope_theta is 0 for every layer");
}

// Some layers follow the length rule, the others turn by the same base without it.
void read_molmo2(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const auto listed = config.numbers({"rope_scaling_layers"});
  const int64_t layers = layers_of(config, rule.rope.sizes);
  RopePart scaled{.where = reading.where + ", scaled layers"};
  RopePart others{.where = reading.where + ", other layers"};
  for (int64_t i = 0; i < layers; ++i) {
    const auto layer = static_cast<double>(i);
    const bool is_scaled =
        !listed || std::find(listed->begin(), listed->end(), layer) != listed->end();
    (is_scaled ? scaled : others).layers.push_back(i);
  }
  if (others.layers.empty()) return add_rope(reading, rule.rope);
  if (!scaled.layers.empty()) add_rope(reading, rule.rope, scaled);
  Component out = rope_component(reading, rule.rope, others);
  if (Rope* rope = rope_of(out)) {
    rope->scaling = NoScaling{};
    std::erase_if(out.facts, [](const auto& f) { return f.first.starts_with("scaling."); });
    set_fact(out, "scaling.type", "default");
    std::erase_if(config.journal().keys, is_of_length_rule);
  }
  reading.add(std::move(out));
}

}  // namespace posenc::model
