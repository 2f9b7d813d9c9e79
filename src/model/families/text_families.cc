// text_families.cc: text models that turn, bias or have no position, by the names of their types.
#include <array>

#include "model/families/class_defaults.h"
#include "model/families/parts.h"
#include "model/families/text_rules.h"

namespace posenc::model {
namespace {

const std::array<std::span<const TextRule>, 6>& all_rules() {
  static const std::array out{plain_rules(),  layered_rules(), coordinate_rules(),
                              latent_rules(), special_rules(), remote_rules()};
  return out;
}

// Keys that say what is so in any case.
void pass_idle(const Config& config) {
  for (const std::string_view key : {"use_mrope", "rope_interleaved", "flash_rotary"}) {
    const Json* value = config.json().find(key);
    const bool* flag = value ? std::get_if<bool>(&value->value) : nullptr;
    if (flag && !*flag) config.pass({key});
  }
  config.pass({"rotary", "sliding_window_size", "original_max_position_embeddings"});
}

void read_text(const Reading& reading) {
  pass_idle(reading.config);
  for (const auto rules : all_rules())
    for (const TextRule& rule : rules)
      if (is_among(rule.types, reading.type)) {
        if (!rule.trap.empty()) reading.trap(std::string(rule.trap));
        TextRule filled = rule;
        const ClassDefaults otherwise = class_defaults(rule.types, reading.type);
        filled.rope = with_class(rule.rope, otherwise);
        filled.window = with_class(rule.window, otherwise);
        (rule.read ? rule.read : read_alike)(reading, filled);
        return read_more(reading);
      }
}

}  // namespace

std::span<const Family> text_families() {
  static const std::vector<Family> out = [] {
    std::vector<Family> families;
    for (const auto rules : all_rules())
      for (const TextRule& rule : rules) families.push_back({rule.types, read_text});
    return families;
  }();
  return out;
}

}  // namespace posenc::model
