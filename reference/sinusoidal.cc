// sinusoidal.cc: the fixed sinusoids, every convention.
#include "reference/formulas.h"

namespace posenc::reference {
namespace {

Real rounded(const Real& x) { return Real(nearest_f32(x)); }

int64_t pairs(const Sinusoidal& s) { return s.odd == Odd::zero ? s.dim / 2 : (s.dim + 1) / 2; }
// A zero column holds nothing, and the frequencies do not count it.
int64_t size(const Sinusoidal& s) { return s.odd == Odd::zero ? 2 * pairs(s) : s.dim; }

int64_t pair_of(const Sinusoidal& s, int64_t c) {
  return s.order == Order::interleaved ? c / 2 : c % pairs(s);
}
bool is_cosine(const Sinusoidal& s, int64_t c) {
  const bool second = s.order == Order::interleaved ? c % 2 == 1 : c >= pairs(s);
  return second != (s.first == First::cosine);
}

// factor * (above / below)^(-index / count), which every rule but the explicit one is.
struct Law {
  double above, below, factor;
  int64_t index, count;
};
Law law(const Sinusoidal& s, int64_t c) {
  const int64_t k = pair_of(s, c);
  if (std::holds_alternative<PerColumnRule>(s.rule)) return {s.base, 1, 1, c, size(s)};
  if (std::holds_alternative<RawIndexRule>(s.rule)) return {s.base, 1, 1, 2 * c, size(s)};
  if (const auto* t = std::get_if<TimescalesRule>(&s.rule))
    return {t->max_timescale.value_or(s.base), t->min_timescale, t->min_timescale, k,
            std::max<int64_t>(pairs(s) - 1, 1)};
  return {s.base, 1, 1, 2 * k, size(s)};
}

Real evaluate(const Law& l) {
  return l.factor * pow(Real(l.above) / l.below, -Real(l.index) / l.count);
}

// exp(index * (-log(ratio) / count)) or exp(index * -log(ratio) / count): the logarithm a double,
// then f32 as tensors are.
Real evaluate_f32(const Law& l, Exponent order) {
  const Real log_ratio = nearest_f64(log(Real(nearest_f64(Real(l.above) / l.below))));
  const Real index = rounded(Real(l.index));
  const Real slope = rounded(Real(nearest_f64(-log_ratio / l.count)));
  const Real exponent = order == Exponent::slope_first
                            ? rounded(index * slope)
                            : rounded(rounded(index * rounded(-log_ratio)) / rounded(l.count));
  return l.factor * rounded(exp(exponent));
}

Real radians_of(const ExplicitRule& rule, int64_t pair) {
  const Real f = rule.frequencies[static_cast<size_t>(pair)];
  return rule.unit == Unit::radians   ? f
         : rule.unit == Unit::degrees ? f * pi() / 180
                                      : f * 2 * pi();
}

Real norm(const Sinusoidal& s) {
  if (s.norm == Norm::none) return 1;
  return s.norm == Norm::rsqrt_dim ? 1 / sqrt(Real(s.dim)) : sqrt(Real(2) / s.dim);
}

}  // namespace

Real frequency(const Sinusoidal& s, int64_t c) {
  const bool exact = s.numerics == Numerics::exact;
  const auto* given = std::get_if<ExplicitRule>(&s.rule);
  const Real w = given   ? radians_of(*given, pair_of(s, c))
                 : exact ? evaluate(law(s, c))
                         : evaluate_f32(law(s, c), s.exponent);
  return exact ? w * s.position_scale : rounded(w * s.position_scale);
}

std::vector<Column> columns_of(const Sinusoidal& s, const Weights& weights) {
  const Real amplitude = s.scale * norm(s) * (s.learned_scale ? weights.at(0).at(0) : 1);
  std::vector<Column> out(static_cast<size_t>(s.dim));
  for (int64_t c = 0; c < size(s); ++c) {
    const Real w = frequency(s, c);
    Column& column = out[static_cast<size_t>(c)];
    column = wave(is_cosine(s, c), amplitude, [=](const Point& p) {
      if (s.numerics == Numerics::torch_f32) return rounded(rounded(p[0] + s.offset) * w);
      return Real((p[0] + s.offset) * w);
    });
    if (s.padding)
      column.value = [row = column.value, zero = *s.padding - s.offset](const Point& p) {
        return p[0] == zero ? Real(0) : row(p);
      };
  }
  return out;
}

}  // namespace posenc::reference
