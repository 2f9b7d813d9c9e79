// fire.h: functional interpolation of relative positions (Li et al., 2024).
//
//   f(x) = ln(|c x| + 1)
//   u    = f(query - key) / (f(max(query, |mu| length)) + eps)      grows from 0 to 1
//   bias = weight_1 relu(weight_0 u + bias_0) + bias_1
//
// The distance is divided by a function of the query's position, so the bias depends on both. Keys
// after the query are treated like keys before it.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct Fire {
  static constexpr std::string_view name = "fire";
  static constexpr std::string_view about = "a learned network of the distance over the position";
  static constexpr std::string_view used_by = "FIRE (Li et al. 2024)";

  int64_t heads = 8;
  int64_t hidden = 32;
  double length = 512;
  double eps = 1e-6;

  static Fields fields();
  static std::vector<Preset<Fire>> presets();
  void check() const;
  std::vector<Weight> weights() const;  // c, mu, then the network's
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
