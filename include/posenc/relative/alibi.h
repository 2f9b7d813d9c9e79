// alibi.h: attention with linear biases (Press, Smith and Lewis, 2022).
//
//   symmetric   -m_h |key - query|             both sides of the query
//   keys         m_h key                       causal code that lets softmax take care of the rest
//
// Slopes for n heads, n a power of two: m_h = 2^(-bias_max h / n), h = 1 .. n. Other counts take
// those of the largest power of two c below n, then every second one of 2c.
#pragma once

#include <cmath>

#include "posenc/relative/formula.h"

namespace POSENC_PUBLIC posenc {

enum class AlibiForm : uint8_t { symmetric, keys };
constexpr auto enum_names(AlibiForm) {
  return std::to_array<std::string_view>({"symmetric", "keys"});
}

// What is rounded on the way: nothing; the product, to the type of the model (Bloom); slope,
// distance and product (Falcon).
enum class AlibiRounding : uint8_t { none, bf16_product, f16_product, bf16 };
constexpr auto enum_names(AlibiRounding) {
  return std::to_array<std::string_view>({"none", "bf16-product", "f16-product", "bf16"});
}

struct Alibi {
  static constexpr std::string_view name = "alibi";
  static constexpr std::string_view about = "scores fall with the distance, each head at its slope";

  int64_t heads = 8;
  double bias_max = 8;
  AlibiForm form = AlibiForm::symmetric;
  bool square_root = false;
  std::optional<int64_t> alibi_heads{};
  std::vector<double> slopes{};
  bool learned_slopes = false;
  AlibiRounding rounding = AlibiRounding::none;

  static constexpr auto fields() {
    using S = Alibi;
    return std::tuple{
        Field{"heads", &S::heads, "heads of the whole model"},
        Field{"bias_max", &S::bias_max, "the smallest slope is 2^-bias_max"},
        Field{"form", &S::form, "whether the bias reads the distance or the key alone"},
        Field{"square_root", &S::square_root, "of the distance, in the distance's place"},
        Field{"alibi_heads", &S::alibi_heads, "heads that have a slope; the others get none"},
        Field{"slopes", &S::slopes, "given, one for each head"},
        Field{"learned_slopes", &S::learned_slopes, "slopes are a weight"},
        Field{"rounding", &S::rounding, "of the product, or of all, as some models have it"}};
  }
  static std::vector<Preset<Alibi>> presets() {
    return {{"paper", "both sides of the query", {}},
            {"bloom", "reads the key alone", {.heads = 32, .form = AlibiForm::keys}},
            {"bloom-bf16",
             "the same as it runs in bf16",
             {.heads = 32, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16_product}},
            {"falcon",
             "reads the key alone; slope, key and product in bf16",
             {.heads = 71, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16}},
            {"mpt",
             "reads the key alone; the last key stands at 0, those before it at -1, -2, ...",
             {.heads = 32, .form = AlibiForm::keys}},
            {"step1", "the square root of the distance", {.heads = 64, .square_root = true}}};
  }

  void check() const;
  std::vector<Weight> weights() const {
    if (!learned_slopes) return {};
    return {{"slopes", {heads}, 0.25, 0}};
  }
  double slope(int64_t head) const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
