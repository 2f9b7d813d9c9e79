// sandwich.h: what sinusoids of the positions would add to the scores (Chi et al., 2023).
//
//   (sum over k = 1 .. dim / 2 of cos(|r| 10000^(-2 k / dim)) - dim / 2) / (8 h / heads)
//
// h counts heads from 1; nothing is learned.
#pragma once

#include <cmath>

#include "posenc/relative/formula.h"

namespace POSENC_PUBLIC posenc {

struct Sandwich {
  static constexpr std::string_view name = "sandwich";
  static constexpr std::string_view about = "scores fall as products of sinusoids do";

  int64_t heads = 8;
  int64_t dim = 64;

  static constexpr auto fields() {
    using S = Sandwich;
    return std::tuple{Field{"heads", &S::heads, "heads of the whole model"},
                      Field{"dim", &S::dim, "size of a head; even"}};
  }
  static std::vector<Preset<Sandwich>> presets() { return {{"nemo", "NeMo", {}}}; }

  void check() const {
    check_size(name, "heads", heads);
    check_size(name, "dim", dim);
    if (dim % 2 != 0) fail(name, "expected dim to be even, got ", dim);
  }
  std::vector<Weight> weights() const { return {}; }
  double shape(double distance) const {
    double sum = 0;
    for (int64_t k = 1; k <= dim / 2; ++k)
      sum += std::cos(distance *
                      std::pow(10000, -2 * static_cast<double>(k) / static_cast<double>(dim))) -
             1;
    return sum;
  }
  BiasFormula formula(const WeightValues&) const {
    BiasFormula out{};
    out.bias = [s = *this](HeadRange some, double query, double key, double* to) {
      const double all = s.shape(std::abs(key - query)) * static_cast<double>(s.heads) / 8;
      for (int64_t i = 0; i < some.count; ++i)
        to[i] = all / static_cast<double>(some.first + i + 1);
    };
    return out;
  }
};

}  // namespace posenc
