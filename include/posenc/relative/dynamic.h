// dynamic.h: a small network of the distance (x-transformers' dynamic position bias).
//
//   x = query - key, or sign(x) ln(1 + |x|)
//   bias = weight_n silu(... silu(weight_0 x + bias_0) ...) + bias_n
#pragma once

#include "posenc/relative/formula.h"

namespace POSENC_PUBLIC posenc {

struct DynamicBias {
  static constexpr std::string_view name = "dynamic";
  static constexpr std::string_view about = "a learned network of the distance";

  int64_t heads = 8;
  int64_t hidden = 128;
  int64_t depth = 2;
  bool log_distance = false;

  static constexpr auto fields() {
    using S = DynamicBias;
    return std::tuple{Field{"heads", &S::heads, "heads of the whole model"},
                      Field{"hidden", &S::hidden, "width of the hidden layers"},
                      Field{"depth", &S::depth, "hidden layers"},
                      Field{"log_distance", &S::log_distance, "let the network read a logarithm"}};
  }
  static std::vector<Preset<DynamicBias>> presets() {
    return {{"x-transformers", "a quarter of 512 features wide", {}}};
  }

  void check() const;
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
