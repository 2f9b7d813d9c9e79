// dynamic.h: a small network of the distance (x-transformers' dynamic position bias).
//
//   x = query - key, or sign(x) ln(1 + |x|)
//   bias = weight_n silu(... silu(weight_0 x + bias_0) ...) + bias_n
//
// With a norm, the input of silu is gain_l (z - mean z) / sqrt(variance of z + 1e-5) + shift_l,
// with z the sums of hidden layer l.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct DynamicBias {
  static constexpr std::string_view name = "dynamic";
  static constexpr std::string_view about = "a learned network of the distance";
  static constexpr std::string_view used_by = "x-transformers";

  int64_t heads = 8;
  int64_t hidden = 128;
  int64_t depth = 2;
  bool log_distance = false;
  bool layer_norm = false;

  static Fields fields();
  static std::vector<Preset<DynamicBias>> presets();
  void check() const;
  std::vector<Weight> weights() const;  // weight_0, bias_0 (gain_0, shift_0), weight_1, ...
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
