// dynamic.h: a small network of the distance (x-transformers' dynamic position bias).
//
//   x = query - key, or sign(x) ln(1 + |x|)
//   bias = weight_n silu(... silu(weight_0 x + bias_0) ...) + bias_n
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct DynamicBias {
  static constexpr std::string_view name = "dynamic";
  static constexpr std::string_view about = "a learned network of the distance";

  int64_t heads = 8;
  int64_t hidden = 128;
  int64_t depth = 2;
  bool log_distance = false;

  static Fields fields();
  static std::vector<Preset<DynamicBias>> presets();
  void check() const;
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
