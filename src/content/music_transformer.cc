// music_transformer.cc: checks of a table of distances back.
#include "posenc/content/music_transformer.h"

#include "content/formula.h"

namespace posenc {

Fields MusicTransformer::fields() {
  using S = MusicTransformer;
  return {{"dim", &S::dim, "head size"},
          {"heads", &S::heads, "heads with a table each; 0: all heads share one"},
          {"length", &S::length, "rows of the table: distances 0 to length - 1"}};
}

std::vector<Preset<MusicTransformer>> MusicTransformer::presets() {
  return {{"paper", "Huang et al. 2018", {}}};
}

std::vector<Weight> MusicTransformer::weights() const {
  if (heads > 0) return {{"table", {heads, length, dim}, 0, 0.02}};
  return {{"table", {length, dim}, 0, 0.02}};
}

void MusicTransformer::check() const {
  check_size(name, "dim", dim);
  if (heads != 0) check_size(name, "heads", heads);
  check_size(name, "length", length);
}

// The last row is distance 0.
TermFormula MusicTransformer::formula(const WeightLists&) const {
  LookupPart part{.dim = dim, .rows = length, .row_step = dim, .weight = 0};
  part.rule.distance = {.low = 1 - length, .high = 0, .least = 1 - length, .most = 0};
  if (heads > 0) part.head_step = length * dim;
  return {RowLookups{}.add(part)};
}

}  // namespace posenc
