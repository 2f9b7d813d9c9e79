// alibi.h: attention with linear biases (Press, Smith and Lewis, 2022).
//
//   symmetric   -m_h |key - query|             on both sides of the query
//   keys         m_h key                       causal code: softmax cancels the query's part
//
// Slopes for n heads, n a power of two: m_h = 2^(-bias_max h / n), h = 1 .. n. Other n use the
// slopes of the largest power of two c below n, then every second slope of 2c.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

enum class AlibiForm : uint8_t { symmetric, keys };
constexpr auto enum_names(AlibiForm) { return names({"symmetric", "keys"}); }

// Intermediate rounding: none; the product, to the type of the model (Bloom); slope,
// distance and product (Falcon).
enum class AlibiRounding : uint8_t { none, bf16_product, f16_product, bf16 };
constexpr auto enum_names(AlibiRounding) {
  return names({"none", "bf16-product", "f16-product", "bf16"});
}

struct Alibi {
  static constexpr std::string_view name = "alibi";
  static constexpr std::string_view about = "scores fall with the distance, each head at its slope";
  static constexpr std::string_view used_by = "Bloom, MPT, Falcon-RW, Baichuan-13B, Step-1";

  int64_t heads = 8;
  double bias_max = 8;
  AlibiForm form = AlibiForm::symmetric;
  bool square_root = false;
  std::optional<int64_t> alibi_heads{};
  std::vector<double> slopes{};
  bool learned_slopes = false;
  AlibiRounding rounding = AlibiRounding::none;

  static Fields fields();
  static std::vector<Preset<Alibi>> presets();
  void check() const;
  std::vector<Weight> weights() const;
  double slope(int64_t head) const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
