// proximal.h: scores fall with the logarithm of the distance (tensor2tensor's
// attention_bias_proximal).
//
//   -ln(1 + |r|)
//
// All heads have the same bias; nothing is learned.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct Proximal {
  static constexpr std::string_view name = "proximal";
  static constexpr std::string_view about = "scores fall with the logarithm of the distance";
  static constexpr std::string_view used_by = "tensor2tensor (proximity_bias)";

  int64_t heads = 8;

  static Fields fields();
  static std::vector<Preset<Proximal>> presets();
  void check() const { check_size(name, "heads", heads); }
  std::vector<Weight> weights() const { return {}; }
  BiasFormula formula(const WeightValues&) const;
};

}  // namespace posenc
