// forgetting_rows.cc: options and checks of gates of queries and keys.
#include "posenc/content/forgetting_rows.h"

#include <cmath>

#include "content/formula.h"

namespace posenc {

Fields ForgettingRows::fields() {
  using S = ForgettingRows;
  return {{"dim", &S::dim, "features of the small queries and keys"},
          {"gate_scale", &S::gate_scale, "on the logarithm of every gate"}};
}

std::vector<Preset<ForgettingRows>> ForgettingRows::presets() {
  return {{"x-transformers-rows",
           "x-transformers: data-dependent ALiBi, gates for each row of scores",
           {}}};
}

void ForgettingRows::check() const {
  check_size(name, "dim", dim);
  check_finite(name, "gate_scale", gate_scale);
}

TermFormula ForgettingRows::formula(const WeightLists&) const {
  return {PairGates{dim, gate_scale, 1 / std::sqrt(static_cast<double>(dim))}};
}

}  // namespace posenc
