// text_hybrid.cc: text models whose kinds of layers one family alone spells so.
#include <algorithm>

#include "model/families/text_readers.h"

namespace posenc::model {
namespace {

// The same rule with these layers alone turning.
void add_on(const Reading& reading, const ModelRow& rule, std::vector<int64_t> layers, int64_t all,
            std::optional<int64_t> head = {}) {
  if (layers.empty()) return add_none(reading, "no layer has attention");
  RopePart part;
  part.head = head;
  if (std::ssize(layers) < all) part.layers = std::move(layers);
  Component out = rope_component(reading, rule.rope, part);
  add_window(reading, rule.window, {}, out);
  reading.add(std::move(out));
}

}  // namespace

// Layers that see everything have no position, where others have a window.
void read_exaone4(const Reading& reading, const ModelRow& rule) {
  ModelRow own = rule;
  const Json* pattern = reading.config.json().find("sliding_window_pattern");
  if (pattern && std::holds_alternative<std::string>(pattern->value)) {  // "LLLG"
    own.layers.period_key = {};
    own.layers.period = std::ssize(std::get<std::string>(pattern->value));
    reading.config.text({"sliding_window_pattern"});
    if (own.layers.period == 0) own.layers.period = 4;
  }
  const bool windows =
      !is_written(reading.config, "sliding_window") || reading.config.has("sliding_window");
  if (!windows) {
    own.turns = TurningLayers::attention;
    own.layers = {};
    reading.config.pass({"sliding_window_pattern"});
  }
  read_alike(reading, own);
}

void read_mllama(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t all = layers_of(config, rule.rope.sizes);
  const std::vector<double> crossing =
      config.numbers({"cross_attention_layers"})
          .value_or(std::vector<double>{3, 8, 13, 18, 23, 28, 33, 38});
  RopePart part;
  for (int64_t i = 0; i < all; ++i)
    if (std::find(crossing.begin(), crossing.end(), static_cast<double>(i)) == crossing.end())
      part.layers.push_back(i);
  if (part.layers.empty()) return add_none(reading, "every layer attends to pictures");
  if (std::ssize(part.layers) == all) part.layers.clear();
  Component out = rope_component(reading, rule.rope, part);
  set_fact(out, "cross_attention_layers", "no rope");
  reading.add(std::move(out));
}

void read_granite_hybrid(const Reading& reading, const ModelRow& rule) {
  const std::string type = reading.config.text({"position_embedding_type"}).value_or("(none)");
  if (type == "rope") return read_alike(reading, rule);
  reading.trap(
      "rope_theta is there, but only position_embedding_type \"rope\" makes layers rotate.");
  read_none(reading, rule);
}

void read_recurrent_gemma(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t all = layers_of(config, rule.rope.sizes);
  const Kinds pattern = config.texts({"block_types", "_block_types"})
                            .value_or(Kinds{"recurrent", "recurrent", "attention"});
  std::vector<int64_t> layers;
  for (int64_t i = 0; i < all && !pattern.empty(); ++i)
    if (pattern[static_cast<size_t>(i) % pattern.size()] == "attention") layers.push_back(i);
  add_on(reading, rule, std::move(layers), all);
}

void read_zamba2(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  if (!config.flag({"use_mem_rope"}, false, by_class)) return read_none(reading, rule);
  const Kinds kinds = layer_kinds(config, rule.rope.sizes, rule.layers);
  const int64_t width = width_of(config, rule.rope.sizes);
  const int64_t heads = heads_of(config, rule.rope.sizes);
  const int64_t head = config.has("attention_head_dim")
                           ? config.needed({"attention_head_dim"}, "the size of a head")
                           : 2 * width / heads;
  const auto layers =
      layers_where(kinds, [](std::string_view kind) { return kind == full || kind == "hybrid"; });
  add_on(reading, rule, layers, std::ssize(kinds), head);
}

// A base that is written as null turns nothing; one that is absent is 10000. Where the pattern
// reaches no full layer, the last one is full.
void read_olmo_hybrid(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const Json* entry = config.json().find("rope_scaling");
  if (!entry) entry = config.json().find("rope_parameters");
  const Json& says = entry && is_written(*entry, "rope_theta") ? *entry : config.json();
  if (is_written(says, "rope_theta") && !says.find("rope_theta")) return read_none(reading, rule);
  ModelRow own = rule;
  own.layers.last = layers_of(config, rule.rope.sizes) < rule.layers.period;
  read_alike(reading, own);
}

// Dense layers come first and may all see everything; then the pattern starts anew.
void read_cohere2_moe(const Reading& reading, const ModelRow& rule) {
  const Config& config = reading.config;
  const int64_t all = layers_of(config, rule.rope.sizes);
  const int64_t prefix =
      size_or(config, "prefix_dense_sliding_window_pattern", 1, "the period of dense layers");
  const auto types = config.texts({"layer_types"});
  const bool listed = types && std::ssize(*types) >= all;
  if (listed) config.pass({"sliding_window_pattern"});  // the list was made with it
  const int64_t period =
      listed ? 1 : size_or(config, "sliding_window_pattern", 4, "the period of full layers");
  const int64_t dense =
      std::clamp<int64_t>(config.whole({"first_k_dense_replace"}).value_or(0), 0, all);
  const auto mlps = config.texts({"mlp_layer_types"});
  std::vector<int64_t> layers;
  for (int64_t i = 0; i < all; ++i) {
    const auto at = static_cast<size_t>(i);
    const bool windowed = types && at < types->size() ? (*types)[at] == sliding
                          : i < dense                 ? (i + 1) % prefix != 0
                                                      : (i - dense + 1) % period != 0;
    const bool is_dense = mlps && at < mlps->size() ? (*mlps)[at] == "dense" : i < dense;
    if (windowed || (is_dense && prefix == 1)) layers.push_back(i);
  }
  add_on(reading, rule, std::move(layers), all);
}

}  // namespace posenc::model
