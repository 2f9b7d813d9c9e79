// Frequencies and phases in fixed point against the same numbers in MPFR.
#include "posenc/frequencies.h"

#include "frequencies/phase.h"
#include "tests/accuracy/contract.h"

namespace posenc::frequencies_test {
namespace {

TEST(Frequencies, OfEveryRule) {
  for (const Case& c : all_cases()) {
    const auto* s = std::get_if<Sinusoidal>(&c.scheme);
    if (!s || s->odd == Odd::zero) continue;
    SCOPED_TRACE(c.name);
    const auto found = s->frequencies();
    for (int64_t column = 0; column < s->dim; ++column) {
      const int64_t at = is_per_column(s->rule) ? column : s->pair_column(column).pair;
      expect_frequency(found[static_cast<size_t>(at)], reference::frequency(*s, column),
                       s->position_scale);
    }
  }
}

TEST(Frequencies, LongRuns) {
  const int64_t count = 20000;
  const auto slow = geometric(count, {1e6, 3}, 2, count);
  for (const int64_t k : {0L, 1L, 777L, count / 2, count - 1})
    expect_frequency(slow[static_cast<size_t>(k)], pow(Real(1e6) / 3, -Real(2 * k) / count));
  const auto steps = linear(count, -0.3, 1e9, Unit::degrees);
  for (const int64_t k : {0L, 1L, 777L, count - 1})
    expect_frequency(steps[static_cast<size_t>(k)],
                     (-0.3 + (Real(1e9) + 0.3) * k / (count - 1)) * reference::pi() / 180);
}

TEST(Frequencies, OfOneNumber) {
  Random random(1);
  for (int i = 0; i < 1000; ++i) {
    const double value = random.real() * std::exp2(random.integer(-80, 60));
    expect_frequency(frequency(value), Real(value));
    expect_frequency(frequency(value, Unit::degrees), Real(value) * reference::pi() / 180);
    expect_frequency(frequency(value, Unit::turns), Real(value) * 2 * reference::pi());
    EXPECT_LE(reference::error(radians(frequency(value, Unit::turns)), value * 2 * reference::pi()),
              half_ulp(DType::f64, 7 * value) + 0x1p-120);
  }
}

TEST(Frequencies, PositionsSplitExactly) {
  Random random(2);
  for (int i = 0; i < 1000; ++i) {
    const double p = random.real() * std::exp2(random.integer(-75, 62));
    const WholeAndPart split_p = split(p);
    EXPECT_EQ(Real(split_p.whole) + Real(split_p.part) * power_of_two(-64) +
                  Real(split_p.rest) * power_of_two(-128),
              Real(p));
  }
  EXPECT_EQ(split(-5e-324).whole, 0);
  EXPECT_EQ(split(-5e-324).part, 0u);
}

// A phase counts 2^-64 turns. The frequency's cut at 2^-128 times 2^62 is a quarter of that; the
// product at a whole position is cut once, at a real one in four places.
TEST(Frequencies, PhasesAreExact) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Frequency f{random.integer(-9, 9) << random.integer(0, 58), random.bits(), random.bits()};
    const double p = random.real() * std::exp2(random.integer(-60, 62));
    const auto whole = static_cast<int64_t>(p);
    const auto distance = [](Turn found, const Real& turns) {  // the short way around
      const Real d = Real(found) * power_of_two(-64) - turns, short_way = abs(d - round(d));
      return short_way / power_of_two(-64);
    };
    EXPECT_LE(distance(phase(f, whole), turns_of(f) * whole), 1);
    EXPECT_LE(distance(phase(f, split(p)), turns_of(f) * Real(p)), 4);
  }
}

}  // namespace
}  // namespace posenc::frequencies_test
