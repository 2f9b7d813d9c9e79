// frequency_rule.h: how the frequencies of a sinusoidal table follow from its base and size.
#pragma once

#include "posenc/field.h"
#include "posenc/frequencies.h"

namespace POSENC_PUBLIC posenc {

// w_k = base^(-2k/dim): the paper.
struct PaperRule {
  static constexpr std::string_view name = "paper";
  static constexpr auto fields() { return std::tuple{}; }
};

// w_k = min (max/min)^(-k/(n-1)), n pairs: the first timescale is 1/min, the last 1/max.
struct TimescalesRule {
  static constexpr std::string_view name = "timescales";
  double min_timescale = 1;
  std::optional<double> max_timescale{};
  static constexpr auto fields() {
    return std::tuple{Field{"min_timescale", &TimescalesRule::min_timescale, "the first frequency"},
                      Field{"max_timescale", &TimescalesRule::max_timescale,
                            "one over the last frequency; `base` when not given"}};
  }
};

// w of column c = base^(-c/dim): each column its own, so a sine and its cosine disagree.
struct PerColumnRule {
  static constexpr std::string_view name = "per-column";
  static constexpr auto fields() { return std::tuple{}; }
};

// w of column c = base^(-2c/dim): the exponent runs twice as fast as the paper's.
struct RawIndexRule {
  static constexpr std::string_view name = "raw-index";
  static constexpr auto fields() { return std::tuple{}; }
};

struct ExplicitRule {
  static constexpr std::string_view name = "explicit";
  std::vector<double> frequencies{};
  Unit unit = Unit::radians;
  static constexpr auto fields() {
    return std::tuple{Field{"frequencies", &ExplicitRule::frequencies, "one number for each pair"},
                      Field{"unit", &ExplicitRule::unit, "of those numbers, per position"}};
  }
};

using FrequencyRule =
    std::variant<PaperRule, TimescalesRule, PerColumnRule, RawIndexRule, ExplicitRule>;

// The frequencies of a table with `dim` columns in n pairs: one per pair, or one per column where
// the rule gives each column its own.
inline bool is_per_column(const FrequencyRule& rule) {
  return std::holds_alternative<PerColumnRule>(rule) || std::holds_alternative<RawIndexRule>(rule);
}

inline std::vector<Frequency> frequencies(const FrequencyRule& rule, double base, int64_t dim,
                                          int64_t pairs, Numerics numerics, Exponent order) {
  const auto run = [&](int64_t count, Base ratio, int64_t numerator, int64_t denominator) {
    return numerics == Numerics::exact ? geometric(count, ratio, numerator, denominator)
                                       : geometric_f32(count, ratio, numerator, denominator, order);
  };
  if (std::holds_alternative<PaperRule>(rule)) return run(pairs, {base}, 2, dim);
  if (std::holds_alternative<PerColumnRule>(rule)) return run(dim, {base}, 1, dim);
  if (std::holds_alternative<RawIndexRule>(rule)) return run(dim, {base}, 2, dim);
  if (const auto* t = std::get_if<TimescalesRule>(&rule)) {
    const Base ratio{t->max_timescale.value_or(base), t->min_timescale};
    auto out = run(pairs, ratio, 1, std::max<int64_t>(pairs - 1, 1));
    for (Frequency& f : out) f = f * t->min_timescale;
    return out;
  }
  std::vector<Frequency> out;
  const auto& given = std::get<ExplicitRule>(rule);
  for (double f : given.frequencies) out.push_back(frequency(f, given.unit));
  return out;
}

}  // namespace posenc
