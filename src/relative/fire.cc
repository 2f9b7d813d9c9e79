// fire.cc: where the numbers of FIRE lie.
#include "posenc/relative/fire.h"

#include "relative/formula.h"
#include "relative/network_weights.h"

namespace posenc {
Fields Fire::fields() {
  using S = Fire;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"hidden", &S::hidden, "width of the hidden layer"},
          {"length", &S::length, "queries before mu times this are measured against it"},
          {"eps", &S::eps, "added to the divisor"}};
}

std::vector<Preset<Fire>> Fire::presets() {
  return {{"paper", "Li et al. 2024: 32 wide, length 512", {}}};
}

void Fire::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  check_positive(name, "length", length);
  check_positive(name, "eps", eps);
}

std::vector<Weight> Fire::weights() const {
  std::vector<Weight> out{{"c", {1}, 0.1, 0}, {"mu", {1}, 1, 0}};
  for (Weight& w : network_weights(1, hidden, 1, heads)) out.push_back(std::move(w));
  return out;
}

BiasFormula Fire::formula(const WeightValues& weights) const {
  const auto network = forms::shallow_network(2, 1, hidden, heads);
  return {Reads::both, false, forms::RatioNetwork{network, length, eps}, weights};
}

}  // namespace posenc
