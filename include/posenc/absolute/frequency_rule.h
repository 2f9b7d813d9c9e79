// frequency_rule.h: formulas for the frequencies of a sinusoidal table.
#pragma once

#include "posenc/field.h"
#include "posenc/frequencies.h"

namespace POSENC_PUBLIC posenc {

// w_k = base^(-2k/dim): the paper.
struct PaperRule {
  static constexpr std::string_view name = "paper";
  static Fields fields() { return {}; }
};

// w_k = min (max/min)^(-k/(n-1)), n pairs: the first timescale is 1/min, the last 1/max.
struct TimescalesRule {
  static constexpr std::string_view name = "timescales";
  double min_timescale = 1;
  std::optional<double> max_timescale{};
  static Fields fields();
};

// w of column c = base^(-c/dim): one per column, so sine and cosine of a pair differ.
struct PerColumnRule {
  static constexpr std::string_view name = "per-column";
  static Fields fields() { return {}; }
};

// w of column c = base^(-2c/dim): the exponent grows twice as fast as the paper's.
struct RawIndexRule {
  static constexpr std::string_view name = "raw-index";
  static Fields fields() { return {}; }
};

struct ExplicitRule {
  static constexpr std::string_view name = "explicit";
  std::vector<double> frequencies{};
  Unit unit = Unit::radians;
  static Fields fields();
};

using FrequencyRule =
    std::variant<PaperRule, TimescalesRule, PerColumnRule, RawIndexRule, ExplicitRule>;

// The frequencies of a table with `dim` columns in n pairs: one per pair, or one per column if
// is_per_column().
inline bool is_per_column(const FrequencyRule& rule) {
  return std::holds_alternative<PerColumnRule>(rule) || std::holds_alternative<RawIndexRule>(rule);
}

std::vector<Frequency> frequencies(const FrequencyRule& rule, double base, int64_t dim,
                                   int64_t pairs, Numerics numerics, Exponent order);

}  // namespace posenc
