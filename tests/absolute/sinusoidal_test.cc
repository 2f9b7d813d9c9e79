// sinusoidal_test.cc: the paper's formula again, in plain doubles, and every convention around it.
#include "posenc/absolute/sinusoidal.h"

#include <gtest/gtest.h>

#include "posenc/absolute.h"
#include "tests/support/elements.h"

namespace posenc::sinusoidal_test {
namespace {

// w of pair k; the two rules that count columns instead of pairs take the column as k.
double frequency_of(const Sinusoidal& s, int64_t pair, int64_t column) {
  const auto k = static_cast<double>(pair), c = static_cast<double>(column);
  const auto n = static_cast<double>(s.pair_count());
  const double dim = s.odd == Odd::zero ? 2 * n : static_cast<double>(s.dim);
  if (std::holds_alternative<PaperRule>(s.rule)) return std::pow(s.base, -2 * k / dim);
  if (std::holds_alternative<PerColumnRule>(s.rule)) return std::pow(s.base, -c / dim);
  if (std::holds_alternative<RawIndexRule>(s.rule)) return std::pow(s.base, -2 * c / dim);
  if (const auto* t = std::get_if<TimescalesRule>(&s.rule)) {
    const double ratio = t->max_timescale.value_or(s.base) / t->min_timescale;
    return t->min_timescale * std::pow(ratio, -k / std::max(n - 1, 1.0));
  }
  const auto& given = std::get<ExplicitRule>(s.rule);
  const double unit = given.unit == Unit::radians   ? 1
                      : given.unit == Unit::degrees ? M_PI / 180
                                                    : 2 * M_PI;
  return given.frequencies[static_cast<size_t>(pair)] * unit;
}

std::vector<double> expected_row(const Sinusoidal& s, double position) {
  const int64_t n = s.odd == Odd::zero ? s.dim / 2 : (s.dim + 1) / 2;
  const bool beside = s.order == Order::interleaved;
  const double p = (position + static_cast<double>(s.offset)) * s.position_scale;
  std::vector<double> first, second, row;
  for (int64_t k = 0; k < n; ++k) {
    const double a = p * frequency_of(s, k, beside ? 2 * k : k);
    const double b = p * frequency_of(s, k, beside ? 2 * k + 1 : n + k);
    first.push_back(s.first == First::sine ? std::sin(a) : std::cos(a));
    second.push_back(s.first == First::sine ? std::cos(b) : std::sin(b));
  }
  for (size_t k = 0; beside && k < first.size(); ++k)
    row.push_back(first[k]), row.push_back(second[k]);
  if (!beside) row = first, row.insert(row.end(), second.begin(), second.end());
  row.resize(static_cast<size_t>(s.dim));  // one cosine less, or one zero more
  const auto d = static_cast<double>(s.dim);
  const double norm = s.norm == Norm::none ? 1 : std::sqrt((s.norm == Norm::rsqrt_dim ? 1 : 2) / d);
  for (double& v : row) v *= s.scale * norm;
  return row;
}

// One change at a time around the paper's form, then some together.
std::vector<Sinusoidal> variants() {
  const TimescalesRule timescales, stretched{4, 500};
  const auto halves = Order::halves;
  return {{.dim = 10},
          {.dim = 1},
          {.dim = 2},
          {.dim = 3},
          {.dim = 3, .odd = Odd::zero},
          {.dim = 1, .odd = Odd::zero},
          {.dim = 2, .rule = timescales},  // n - 1 = 0
          {.dim = 3, .rule = timescales, .odd = Odd::zero},
          {.dim = 10, .base = 100},
          {.dim = 10, .rule = timescales},
          {.dim = 10, .rule = stretched},
          {.dim = 10, .rule = PerColumnRule{}},
          {.dim = 10, .rule = RawIndexRule{}},
          {.dim = 5, .rule = ExplicitRule{{0.5, -2, 1e-3}}},
          {.dim = 6, .rule = ExplicitRule{{1, 90, -13}, Unit::degrees}},
          {.dim = 6, .rule = ExplicitRule{{0.25, 1.125, -3}, Unit::turns}},
          {.dim = 10, .order = halves},
          {.dim = 11, .order = halves},
          {.dim = 11, .order = halves, .odd = Odd::zero},
          {.dim = 11, .rule = PerColumnRule{}, .order = halves},
          {.dim = 10, .first = First::cosine},
          {.dim = 11, .first = First::cosine},
          {.dim = 11, .order = halves, .first = First::cosine},
          {.dim = 10, .offset = 2},
          {.dim = 10, .offset = -7},
          {.dim = 10, .position_scale = 0.25},
          {.dim = 10, .position_scale = -3},
          {.dim = 10, .scale = -1.5},
          {.dim = 10, .norm = Norm::sqrt_2_over_dim},
          {.dim = 11, .norm = Norm::rsqrt_dim},
          {.dim = 13,
           .rule = stretched,
           .order = halves,
           .first = First::cosine,
           .odd = Odd::zero,
           .offset = 5,
           .position_scale = 0.5,
           .scale = 3,
           .norm = Norm::rsqrt_dim}};
}

// How far a row may be: the contract, and what the reference itself loses. The rounding of the
// exponent is multiplied by ln(base) < 9.3; with those of pow, of the product and of the sine, the
// reference is off by less than 16 * 2^-53 of the largest angle, and one rounding of the result.
double tolerance(const Sinusoidal& s, DType dtype, double position, double truth) {
  double fastest = 0;
  for (int64_t k = 0; k < s.pair_count(); ++k)
    fastest = std::max(fastest, std::abs(frequency_of(s, k, 0) * s.position_scale));
  const double angle = (std::abs(position) + std::abs(static_cast<double>(s.offset))) * fastest;
  return row_error(dtype, truth, s.amplitude()) +
         std::abs(s.amplitude()) * (0x1p-49 * angle + 0x1p-53);
}

TEST(Sinusoidal, MatchesTheFormulaAtAnyPosition) {
  const std::vector<double> places{0, 1, 3, -5, 17, 1000, 4095, 0.5, 937.25, -0.125};
  for (const Sinusoidal& s : variants()) {
    std::vector<double> table(places.size() * static_cast<size_t>(s.dim));
    const Tensor out = tensor(table.data(), {std::ssize(places), s.dim});
    fill(s, out, positions(tensor(places.data(), {std::ssize(places)})));
    for (size_t t = 0; t < places.size(); ++t) {
      const auto row = expected_row(s, places[t]);
      for (size_t c = 0; c < row.size(); ++c)
        ASSERT_NEAR(table[t * row.size() + c], row[c], tolerance(s, DType::f64, places[t], row[c]))
            << join({text::write(s.dim), text::write(places[t]), std::to_string(c)}, " ");
    }
  }
}

TEST(Sinusoidal, MatchesTheFormulaInARange) {
  for (DType dtype : float_types)
    for (const Sinusoidal& s : variants()) {
      const int64_t tokens = 40, first = 990;
      std::vector<double> memory(static_cast<size_t>(tokens * s.dim));
      const Tensor out = tensor(memory.data(), dtype, std::array{tokens, s.dim});
      fill(s, out, range(first));
      for (int64_t t = 0; t < tokens; ++t) {
        const auto p = static_cast<double>(first + t);
        const auto row = expected_row(s, p);
        for (size_t c = 0; c < row.size(); ++c)
          ASSERT_NEAR(get(out, t * s.dim + static_cast<int64_t>(c)), row[c],
                      tolerance(s, dtype, p, row[c]))
              << join({std::string(to_string(dtype)), text::write(s.dim), text::write(p)}, " ");
      }
    }
}

}  // namespace
}  // namespace posenc::sinusoidal_test
