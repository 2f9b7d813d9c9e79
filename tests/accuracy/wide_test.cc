// wide_test.cc: wide numbers against MPFR, in units of 2^-192 of the truth.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "frequencies/wide_functions.h"
#include "reference/real.h"
#include "tests/support/random.h"

namespace posenc::wide_test {
namespace {

using reference::Real;

// All 192 bits, a double at a time.
Real real(const Wide& x) {
  Real out;
  Wide rest = x;
  for (int i = 0; i < 6; ++i) {
    const double part = rest.to_double();
    out += part, rest = rest - part;
  }
  return out;
}

double units(const Wide& got, const Real& truth) {
  return reference::nearest_f64(ldexp(abs((real(got) - truth) / truth), 192));
}

// 192 random bits, below 2^exponent.
Wide some(Random& random, int64_t exponent) {
  Wide x = 0;
  for (int i = 0; i < 4; ++i) x = ldexp(x, -48) + static_cast<double>(random.bits() >> 16);
  return ldexp(random.bits() % 2 == 0 ? x : -x, exponent - 48);
}

TEST(Wide, IsRoundedToNearest) {
  Random random(1);
  for (int i = 0; i < 2000; ++i) {
    const Wide x = some(random, random.integer(-300, 300));
    const Wide y = ldexp(some(random, 0), random.integer(-300, 300));
    const Wide near = ldexp(some(random, 0), random.integer(-3, 3));
    EXPECT_LE(units(x * y, real(x) * real(y)), 1);
    EXPECT_LE(units(x / y, real(x) / real(y)), 1);
    for (const Wide& a : {x, near})
      for (const Wide& b : {y, near * 3, -near * (1 + ldexp(Wide(1), -random.integer(1, 191)))})
        EXPECT_LE(units(a + b, real(a) + real(b)), 1);
    EXPECT_EQ(real(x * y), real(y * x));
  }
  const Wide last = ldexp(Wide(1), -191), half = ldexp(Wide(1), -192);
  EXPECT_EQ(1 + half, 1);  // ties go to even
  EXPECT_EQ(1 + last + half, 1 + last + last);
  EXPECT_EQ(1 + (half + ldexp(half, -150)), 1 + last);  // no tie
  EXPECT_EQ(1 + last - (half + ldexp(half, -150)), 1);
  EXPECT_EQ(Wide(10) / 5, 2);
  EXPECT_EQ((1 - half) / (1 - half), 1);
}

TEST(Wide, Functions) {
  Random random(2);
  for (int i = 0; i < 500; ++i) {
    const Wide x = abs(some(random, random.integer(-60, 60)));
    const Wide y = some(random, 2), small = some(random, random.integer(-100, -2));
    const Real size = abs(real(y) * log(real(x)));
    EXPECT_LE(units(sqrt(x), sqrt(real(x))), 2);
    EXPECT_LE(units(log(x), log(real(x))), 4);
    EXPECT_LE(units(log(1 + small), log(real(1 + small))), 4);
    EXPECT_LE(units(exp(small), exp(real(small))), 5);
    EXPECT_LE(units(exp(30 * y), exp(real(30 * y))), 4 + 60 * std::abs(y.to_double()));
    EXPECT_LE(units(pow(x, y), pow(real(x), real(y))), 4 + 6 * reference::nearest_f64(size));
    EXPECT_EQ(real(floor(x)), floor(real(x)));
    EXPECT_EQ(real(ceil(-x)), ceil(-real(x)));
    EXPECT_EQ(x.to_double(), reference::nearest_f64(real(x)));
  }
  EXPECT_EQ(real(floor(Wide(-0.25))), -1);
  EXPECT_LE(units(log2(Wide(8)), Real(3)), 6);
  EXPECT_LE(units(wide_two_pi(), 2 * reference::pi()), 1);
  EXPECT_EQ(pow(Wide(7), 0), 1);
  EXPECT_EQ(pow(Wide(0), 2), 0);
}

// The first limb's quotient, by halves of a limb, against the compiler's own division.
TEST(Wide, DividesTwoLimbsByOne) {
  Random random(9);
  const auto any = [&] { return random.bits(); };
  for (int i = 0; i < 100'000; ++i) {
    uint64_t divisor = any() | uint64_t{1} << 63, low = any() >> i % 64;
    if (i % 3 == 0) divisor = uint64_t{1} << 63 | any() >> i % 63;  // few bits below the first
    if (i % 3 == 1) divisor = ~(any() >> 1 >> i % 62);              // almost all bits set
    const uint64_t high = i % 5 == 0 ? divisor - 1 - any() % 4 : any() % divisor;
    if (i % 7 == 0) low = ~low;
    const limbs::Twice whole = limbs::Twice{high} << 64 | low;
    ASSERT_EQ(limbs::divide(high, low, divisor), static_cast<uint64_t>(whole / divisor))
        << high << " " << low << " / " << divisor;
  }
}

TEST(Wide, OfDoublesAndIntegers) {
  Random random(3);
  for (const double x : {0.0, 5e-324, -5e-324, 0x1p-1022, 0x1.fffffffffffffp1023, 1.0 / 3})
    EXPECT_EQ(Wide(x).to_double(), x);
  for (const int64_t n : {INT64_MIN, INT64_MAX, int64_t{-1}}) EXPECT_EQ(real(n), Real(n));
  EXPECT_EQ(real(UINT64_MAX), Real(UINT64_MAX));
  for (int i = 0; i < 200; ++i) {
    const Wide x = some(random, random.integer(-140, 62));
    const auto [lo, hi, turns] = x.fixed();
    const Real fixed = ldexp(Real(static_cast<int64_t>(turns)), 128) + ldexp(Real(hi), 64) + lo;
    EXPECT_EQ(fixed, floor(ldexp(real(x), 128)));
  }
}

TEST(Wide, InfiniteAndNeitherLessNorEqual) {
  const Wide infinite = Wide(1) / 0, none = infinite - infinite;
  for (const Wide& x : {infinite, -infinite, none, Wide(std::numeric_limits<double>::infinity())})
    EXPECT_FALSE(isfinite(x));
  EXPECT_TRUE(-infinite < -1e300 && infinite > 1e300 && infinite == exp(infinite));
  EXPECT_FALSE(none < 1 || none > 1 || none == none || none <= 1);
  for (const Wide& x : {0 * infinite, Wide(0) / 0, infinite / infinite, log(Wide(-1)), none + 1})
    EXPECT_FALSE(x == x);
  EXPECT_EQ(1 / infinite, 0);
  EXPECT_EQ(exp(-infinite), 0);
  EXPECT_EQ(exp(Wide(1e300)), infinite);
  EXPECT_EQ(log(Wide(0)), -infinite);
}

}  // namespace
}  // namespace posenc::wide_test
