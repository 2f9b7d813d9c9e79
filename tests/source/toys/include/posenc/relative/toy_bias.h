// toy_bias.h: scores fall with the distance, alike in every head.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct ToyBias {
  static constexpr std::string_view name = "toy-bias";
  static constexpr std::string_view about = "scores fall by the distance";
  static constexpr std::string_view used_by = "nobody";

  int64_t heads = 8;

  static Fields fields();
  static std::vector<Preset<ToyBias>> presets();
  void check() const { check_size(name, "heads", heads); }
  std::vector<Weight> weights() const { return {}; }
  BiasFormula formula(const WeightValues&) const;
};

}  // namespace posenc
