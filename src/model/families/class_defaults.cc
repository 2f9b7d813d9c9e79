// class_defaults.cc: what classes of transformers fill in where a file is silent.
#include "model/families/class_defaults.h"

namespace posenc::model {
namespace {

constexpr ClassDefaults class_rows[] = {
#include "model/families/class_defaults.inc"
};

const ClassDefaults* find(std::string_view type) {
  for (const ClassDefaults& row : class_rows)
    if (row.type == type) return &row;
  return nullptr;
}

}  // namespace

ClassDefaults class_defaults(std::string_view types, std::string_view type) {
  const ClassDefaults* own = find(type);
  const ClassDefaults* out = own ? own : find(words_of(types)[0]);
  return out ? *out : ClassDefaults{};
}

RopeRule with_class(RopeRule rule, const ClassDefaults& otherwise) {
  const bool says = rule.sizes.width > 0 || rule.sizes.heads > 0;
  if (!says && otherwise.sizes.width > 0) rule.sizes = otherwise.sizes;
  const bool has_base = rule.base != usual_base || !rule.scaling.empty();
  if (!has_base && otherwise.base > 0) rule.base = otherwise.base;
  return rule;
}

WindowRule with_class(WindowRule rule, const ClassDefaults& otherwise) {
  if (rule.size == 0) rule.size = otherwise.window;
  if (rule.late == 0) rule.late = otherwise.late;
  rule.asked = rule.asked || otherwise.asked;
  return rule;
}

Joint with_class(Joint parts, const ClassDefaults& otherwise) {
  if (parts.text.empty()) parts.text = otherwise.text;
  if (parts.vision.empty()) parts.vision = otherwise.vision;
  if (parts.audio.empty()) parts.audio = otherwise.audio;
  return parts;
}

}  // namespace posenc::model
