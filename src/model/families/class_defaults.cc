// class_defaults.cc: what classes of transformers fill in where a file is silent.
#include "model/families/model_row.h"

namespace posenc::model {
namespace {

struct ClassDefaults {
  std::string_view type;
  ClassSizes sizes{};
  int64_t window = 0;
  int64_t late = 0;    // so many layers before it see everything: max_window_layers
  bool asked = false;  // the window counts only where use_sliding_window is true
  double base = 0;     // of the rope, where all layers have one
  Sides picture{};     // of a picture, and of its patches
  int64_t patch = 0;
  std::string_view text{}, vision{}, audio{};  // types of parts that say none
};

// tests/model/class_defaults.py writes them from an installed transformers.
constexpr ClassDefaults class_rows[] = {
#include "model/families/class_defaults.inc"
};

const ClassDefaults* find(std::string_view type) {
  for (const ClassDefaults& row : class_rows)
    if (row.type == type) return &row;
  return nullptr;
}

// Of the type, or where that has no class of the first of these names.
const ClassDefaults& class_defaults(std::string_view types, std::string_view type) {
  static constexpr ClassDefaults none;
  const ClassDefaults* own = find(type);
  const ClassDefaults* out = own ? own : find(words_of(types)[0]);
  return out ? *out : none;
}

}  // namespace

ModelRow with_class(ModelRow row, std::string_view type) {
  const ClassDefaults& otherwise = class_defaults(row.types, type);
  const auto fill = [](auto& mine, const auto& of_class) {
    if (mine == std::decay_t<decltype(mine)>{}) mine = of_class;
  };
  const ClassSizes& sizes = otherwise.sizes;
  RopeRule& rope = row.rope;
  const bool says = rope.sizes.width > 0 || rope.sizes.heads > 0;
  if (!says && sizes.width > 0) rope.sizes = sizes;
  const bool has_base = rope.base != usual_base || !rope.scaling.empty();
  if (!has_base && otherwise.base > 0) rope.base = otherwise.base;
  fill(row.window.size, otherwise.window);
  fill(row.window.late, otherwise.late);
  fill(row.window.asked, otherwise.asked);
  fill(row.table.length, sizes.length);
  fill(row.table.width, sizes.width);
  fill(row.patches.picture, otherwise.picture);
  fill(row.patches.patch, otherwise.patch);
  fill(row.patches.width, sizes.width);
  fill(row.joint.text, otherwise.text);
  fill(row.joint.vision, otherwise.vision);
  fill(row.joint.audio, otherwise.audio);
  return row;
}

}  // namespace posenc::model
