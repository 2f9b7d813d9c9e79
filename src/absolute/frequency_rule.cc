// frequency_rule.cc: how the frequencies of a sinusoidal table follow from its base and size.
#include "posenc/absolute/frequency_rule.h"

#include <algorithm>

namespace posenc {

Fields TimescalesRule::fields() {
  return {{"min_timescale", &TimescalesRule::min_timescale, "the first frequency"},
          {"max_timescale", &TimescalesRule::max_timescale,
           "one over the last frequency; `base` when not given"}};
}

Fields ExplicitRule::fields() {
  return {{"frequencies", &ExplicitRule::frequencies, "one number for each pair"},
          {"unit", &ExplicitRule::unit, "unit of those numbers, per position"}};
}

std::vector<Frequency> frequencies(const FrequencyRule& rule, double base, int64_t dim,
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
