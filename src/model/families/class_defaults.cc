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

ModelRow with_class(ModelRow row, const ClassDefaults& otherwise) {
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
