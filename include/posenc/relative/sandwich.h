// sandwich.h: the dot products of sinusoids of the positions (Chi et al., 2023).
//
//   (sum over k = 1 .. dim / 2 of cos(|r| 10000^(-2 k / dim)) - dim / 2) / (8 h / heads)
//
// h counts heads from 1; nothing is learned.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct Sandwich {
  static constexpr std::string_view name = "sandwich";
  static constexpr std::string_view about = "scores fall as products of sinusoids do";
  static constexpr std::string_view used_by = "Sandwich (Chi et al. 2023), NeMo";

  int64_t heads = 8;
  int64_t dim = 64;

  static Fields fields();
  static std::vector<Preset<Sandwich>> presets();
  void check() const;
  std::vector<Weight> weights() const { return {}; }
  double shape(double distance) const;
  BiasFormula formula(const WeightValues&) const;
};

}  // namespace posenc
