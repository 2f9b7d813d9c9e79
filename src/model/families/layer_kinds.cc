// layer_kinds.cc: what each layer of a model is, from lists or from a pattern.
#include "model/families/layer_kinds.h"

#include <algorithm>

#include "base/text.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

// Older names of kinds.
std::string renamed(const std::string& kind) {
  static constexpr std::pair<std::string_view, std::string_view> names[] = {
      {"attention", full},
      {"full", full},
      {"global_attention", full},
      {"sliding", sliding},
      {"local_attention", sliding},
      {"linear", linear_kind},
      {"mamba", linear_kind},
      {"recurrent", linear_kind},
      {"deepseek_sparse_attention", "indexed_attention"},
      {"qwen_sparse_attention", "indexed_attention"}};
  for (const auto& [older, newer] : names)
    if (kind == older) return std::string(newer);
  return kind;
}

// Kinds that some rule knows; another is told, since what its layers do is not known.
constexpr std::string_view known_kinds[] = {full,
                                            sliding,
                                            linear_kind,
                                            "chunked_attention",
                                            "window_attention",
                                            "indexed_attention",
                                            "compressed_sparse_attention",
                                            "heavily_compressed_attention",
                                            "minimax_m3_sparse",
                                            "conv",
                                            "moe",
                                            "mlp",
                                            "hybrid",
                                            "hybrid_sliding",
                                            "reference_sliding_attention",
                                            "sparse",
                                            "dense"};

bool is_known_kind(std::string_view kind) {
  return std::find(std::begin(known_kinds), std::end(known_kinds), kind) != std::end(known_kinds);
}

void tell_unknown(const Config& config, std::string_view key, const Kinds& kinds) {
  for (auto at = kinds.begin(); at != kinds.end(); ++at)
    if (!is_known_kind(*at) && std::find(kinds.begin(), at, *at) == at)
      config.conflict(std::string(key) + " has " + files::in_quotes(*at) + ", first for layer " +
                      text::write(at - kinds.begin()) + ": no rule covers such layers");
}

Kinds listed(const Config& config, int64_t layers, std::string_view key) {
  Kinds out = *config.texts({key});
  if (std::ssize(out) < layers) config.fail(key, " for ", layers, " layers, got ", out.size());
  out.resize(static_cast<size_t>(layers));
  std::transform(out.begin(), out.end(), out.begin(), renamed);
  tell_unknown(config, key, out);
  return out;
}

std::vector<bool> named_layers(const Config& config, std::string_view key, int64_t layers) {
  std::vector<bool> out(static_cast<size_t>(layers));
  const auto listed = *config.numbers({key});
  for (const double i : listed) {
    if (!(i >= 0 && i < static_cast<double>(layers)))
      config.fail(key, " as numbers of ", layers, " layers, got ", i);
    out[static_cast<size_t>(i)] = true;
  }
  return out;
}

// Nothing where the list is empty.
Kinds by_list(const Config& config, const LayerRule& rule, int64_t layers) {
  const std::optional<std::vector<bool>> flags = rule.indices
                                                     ? named_layers(config, rule.list_key, layers)
                                                     : layer_flags(config, rule.list_key, layers);
  Kinds out;
  if (!flags) return out;
  for (const bool flag : *flags)
    out.emplace_back(flag == rule.listed_are_full ? rule.kind : rule.other);
  return out;
}

Kinds by_cycle(const LayerRule& rule, int64_t layers) {
  const auto cycle = words_of(rule.cycle);
  Kinds out;
  for (int64_t i = 0; i < layers; ++i)
    out.emplace_back(i == 0 && !rule.first.empty() ? rule.first
                                                   : cycle[static_cast<size_t>(i) % cycle.size()]);
  return out;
}

Kinds by_pattern(const Config& config, const LayerRule& rule, int64_t layers) {
  int64_t period = rule.period;
  if (!rule.period_key.empty())
    period = config.has(rule.period_key)
                 ? config.needed({rule.period_key}, "the period of full layers")
                 : config.whole({rule.period_key}, period, by_class);
  Kinds out;
  for (int64_t i = 0; i < layers; ++i) {
    const int64_t place = rule.from_end ? layers - 1 - i : i + rule.shift;
    const bool edge = i < rule.leading || (rule.last && i == layers - 1);
    out.emplace_back(edge || place % period == 0 ? rule.kind : rule.other);
  }
  return out;
}

}  // namespace

bool is_attention(std::string_view kind) {
  static constexpr std::string_view others[] = {linear_kind, "conv", "moe", "mlp"};
  return std::find(std::begin(others), std::end(others), kind) == std::end(others);
}

std::optional<std::vector<bool>> layer_flags(const Config& config, std::string_view key,
                                             int64_t layers) {
  const auto list = config.numbers({key});
  if (!list || list->empty()) return {};
  if (std::ssize(*list) < layers) config.fail(key, " for ", layers, " layers, got ", list->size());
  std::vector<bool> out;
  for (int64_t i = 0; i < layers; ++i) out.push_back((*list)[static_cast<size_t>(i)] != 0);
  return out;
}

Kinds layer_kinds(const Config& config, const ClassSizes& sizes, const LayerRule& rule) {
  const bool plain = rule.period == 0 && rule.list_key.empty();
  for (const std::string_view key : {"layer_types", "layers_block_type"})
    if (config.has(key)) return listed(config, layers_of(config, sizes), key);
  if (plain && sizes.layers == 0 &&
      !config.has({"num_hidden_layers", "n_layer", "n_layers", "num_layers"}))
    return {};
  const int64_t layers = layers_of(config, sizes);
  if (!rule.list_key.empty() && config.has(rule.list_key))
    if (Kinds out = by_list(config, rule, layers); !out.empty()) return out;
  if (!rule.cycle.empty()) return by_cycle(rule, layers);
  if (rule.period == 0) return Kinds(static_cast<size_t>(layers), std::string(rule.kind));
  return by_pattern(config, rule, layers);
}

StillLayers still_layers(const Config& config, const ClassSizes& sizes) {
  const int64_t layers = layers_of(config, sizes);
  const auto flags = layer_flags(config, "no_rope_layers", layers);
  int64_t every = 4;
  if (flags)
    config.pass({"no_rope_layer_interval"});  // the list was made with it
  else
    every = config.has("no_rope_layer_interval")
                ? config.needed({"no_rope_layer_interval"}, "the period of layers without position")
                : config.whole({"no_rope_layer_interval"}, every, by_class);
  StillLayers out;
  for (int64_t i = 0; i < layers; ++i)
    if (flags ? (*flags)[static_cast<size_t>(i)] : (i + 1) % every != 0)
      out.turning.push_back(i);
    else
      out.still.push_back(static_cast<double>(i));
  return out;
}

std::vector<int64_t> layers_where(const Kinds& kinds, bool (*is)(std::string_view kind)) {
  std::vector<int64_t> out;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (is(kinds[i])) out.push_back(static_cast<int64_t>(i));
  return out;
}

std::string kind_name(std::string_view kind) {
  constexpr std::string_view ending = "_attention";
  std::string out(kind.ends_with(ending) ? kind.substr(0, kind.size() - ending.size()) : kind);
  std::replace(out.begin(), out.end(), '_', ' ');
  return out + " layers";
}

}  // namespace posenc::model
