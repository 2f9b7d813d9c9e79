// sandwich.cc: what sinusoids of the positions would add to the scores (Chi et al., 2023).
#include "posenc/relative/sandwich.h"

#include <cmath>

#include "relative/formula.h"

namespace posenc {
namespace {

std::vector<double> frequencies(const Sandwich& s) {
  std::vector<double> out;
  for (int64_t k = 1; k <= s.dim / 2; ++k)
    out.push_back(std::pow(10000, -2 * static_cast<double>(k) / static_cast<double>(s.dim)));
  return out;
}

}  // namespace

Fields Sandwich::fields() {
  using S = Sandwich;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"dim", &S::dim, "size of a head; even"}};
}

std::vector<Preset<Sandwich>> Sandwich::presets() { return {{"nemo", "NeMo", {}}}; }

void Sandwich::check() const {
  check_size(name, "heads", heads);
  check_size(name, "dim", dim);
  if (dim % 2 != 0) fail(name, "expected dim to be even, got ", dim);
}

double Sandwich::shape(double distance) const {
  const auto block = frequencies(*this);
  return forms::Cosines{dim / 2, 1, block.data()}.at(0, distance, nullptr);
}

BiasFormula Sandwich::formula(const WeightValues&) const {
  const forms::Cosines cosines{dim / 2, static_cast<double>(heads) / 8};
  return {Reads::distance, false, cosines, frequencies(*this)};
}

}  // namespace posenc
