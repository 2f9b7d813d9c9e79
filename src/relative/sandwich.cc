// sandwich.cc: what sinusoids of the positions would add to the scores (Chi et al., 2023).
#include "posenc/relative/sandwich.h"

#include <cmath>

#include "relative/formula.h"

namespace posenc {

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
  double sum = 0;
  for (int64_t k = 1; k <= dim / 2; ++k)
    sum += std::cos(distance *
                    std::pow(10000, -2 * static_cast<double>(k) / static_cast<double>(dim))) -
           1;
  return sum;
}

BiasFormula Sandwich::formula(const WeightValues&) const {
  BiasFormula out{};
  out.bias = [s = *this](HeadRange some, double query, double key, double* to) {
    const double all = s.shape(std::abs(key - query)) * static_cast<double>(s.heads) / 8;
    for (int64_t i = 0; i < some.count; ++i) to[i] = all / static_cast<double>(some.first + i + 1);
  };
  return out;
}

}  // namespace posenc
