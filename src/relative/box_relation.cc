// box_relation.cc: frequencies of the waves of a relation.
#include "posenc/relative/box_relation.h"

#include <cmath>

#include "relative/formula.h"
#include "relative/network_weights.h"

namespace posenc {
namespace {

double box_frequency(const BoxRelation& s, int64_t k) {
  return s.scale * std::pow(s.base, -4 * static_cast<double>(k) / static_cast<double>(s.dim));
}

}  // namespace

Fields BoxRelation::fields() {
  using S = BoxRelation;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"dim", &S::dim, "sines and cosines of each of the four numbers; even"},
          {"base", &S::base, "of the frequencies"},
          {"scale", &S::scale, "on the logarithms"},
          {"eps", &S::eps, "added to widths and heights"}};
}

std::vector<Preset<BoxRelation>> BoxRelation::presets() {
  return {{"pp-doclayout-v2", "PP-DocLayoutV2, the order of reading", {}}};
}

void BoxRelation::check() const {
  check_size(name, "heads", heads);
  check_size(name, "dim", dim);
  if (dim % 2 != 0) fail(name, "expected dim to be even, got ", dim);
  check_positive(name, "base", base);
  check_finite(name, "scale", scale);
  check_positive(name, "eps", eps);
  if (eps < 1e-30) fail(name, "expected eps of at least 1e-30, got ", eps);
  for (const int64_t k : {int64_t{0}, dim / 2 - 1})  // the largest is the first or the last
    if (const double f = box_frequency(*this, k); !(std::abs(f) <= 1e300))
      fail(name, "expected base and scale with frequencies up to 1e300, got ", f);
}

std::vector<Weight> BoxRelation::weights() const { return network_weights(4 * dim, 1, 0, heads); }

BiasFormula BoxRelation::formula(const WeightValues& weights) const {
  WeightValues block = weights;
  for (int64_t k = 0; k < dim / 2; ++k) block.push_back(box_frequency(*this, k));
  return {Reads::both, false, forms::BoxWaves{heads, dim / 2, eps}, std::move(block)};
}

}  // namespace posenc
