// layer_windows.cc: windows of layers, from the file or from the class.
#include <algorithm>

#include "base/text.h"
#include "model/families/layer_kinds.h"
#include "model/families/parts.h"

namespace posenc::model {
namespace {

// Whether "05" is the number.
bool is_number(std::string_view digits, int64_t number) {
  const std::string plain = std::to_string(number);
  return digits.ends_with(plain) &&
         digits.substr(0, digits.size() - plain.size()).find_first_not_of('0') == digits.npos;
}

std::vector<int64_t> late_layers(const Config& config, const WindowRule& rule, int64_t all) {
  const int64_t first = config.whole({"max_window_layers"}, rule.late, by_class);
  std::vector<int64_t> out;
  for (int64_t i = 0; i < all; ++i)
    if (rule.early ? i < first && i % 2 == 0 : i >= first) out.push_back(i);
  return out;
}

// The layers of a component that have another window than the rest of it.
void add_layer_windows(const Config& config, const WindowRule& rule, int64_t window,
                       Component& component) {
  const bool longer = !rule.long_key.empty() && !config.has("per_layer_config");
  std::vector<double> windows;
  bool differ = false;
  for (size_t i = 0; i < component.layers.size(); ++i) {
    int64_t own = window;
    if (longer && i % 2 == 1)
      own = config.whole({rule.long_key}, rule.long_size, by_class);
    else if (const auto keys = own_keys(config, component.layers[i]))
      own = keys->whole({"sliding_window"}).value_or(window);
    differ = differ || own != window;
    windows.push_back(static_cast<double>(own));
  }
  if (differ) set_fact(component, "layer_windows", std::move(windows));
}

// A window that comes to nothing, and the wish for one.
void ignore_window(const Config& config, std::string_view why) {
  config.ignore({"sliding_window"}, why);
  const Json* asked = config.json().find("use_sliding_window");
  if (config.has("sliding_window") && asked && same_value(*asked, true))
    config.ignore({"use_sliding_window"}, why);
  config.pass({"use_sliding_window", "max_window_layers"});
}

}  // namespace

std::optional<Config> own_keys(const Config& config, int64_t layer) {
  const auto all = config.inside({"per_layer_config"});
  if (!all) return {};
  for (const std::string& key : all->keys())
    if (is_number(key, layer)) return all->inside({key});
  return {};
}

void add_window(const Reading& reading, const WindowRule& rule, const Kinds& kinds,
                Component& component) {
  const Config& config = reading.config;
  if (rule.alone)
    return set_fact(component, "window", config.whole({rule.key}, rule.size, by_class));
  if (!config.flag({"use_sliding_window"}).value_or(!rule.asked)) {
    config.pass({"sliding_window", "max_window_layers"});
    return;
  }
  const Config::Names keys{"sliding_window", "attention_window_size"};
  const bool is_null = !config.has(keys) && (is_written(config, "sliding_window") ||
                                             is_written(config, "attention_window_size"));
  const auto said = config.whole(keys);
  const int64_t supplied = is_null ? 0 : rule.size;
  if (said.value_or(supplied) < 1) return;
  auto layers = layers_where(kinds, is_sliding);
  if (rule.late > 0 && layers.empty() && !kinds.empty()) {
    if (!config.has("layer_types")) layers = late_layers(config, rule, std::ssize(kinds));
    if (layers.empty()) {
      ignore_window(config, "no layer has a window");
      return;
    }
  }
  const int64_t window = said ? *said : config.whole({rule.key}, supplied, by_class);
  set_fact(component, "window", window);
  if (!layers.empty() && layers.size() < kinds.size())
    set_fact(component, "window_layers", as_list(layers));
  add_layer_windows(config, rule, window, component);
}

void add_own_window(const Reading& reading, const WindowRule& rule, const Kinds& kinds,
                    Component& component) {
  if (rule.everywhere || std::any_of(kinds.begin(), kinds.end(), is_sliding))
    return add_window(reading, rule, kinds, component);
  const bool knows = rule.size > 0;
  ignore_window(reading.config,
                knows ? "no layer has a window" : "this model's code has no window");
}

}  // namespace posenc::model
