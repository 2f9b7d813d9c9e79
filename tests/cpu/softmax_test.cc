// softmax_test.cc: the softmax kernel, on every instruction set, against doubles.
#include "cpu/kernels/softmax.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "tests/support/every_target.h"
#include "tests/support/random.h"

namespace posenc::softmax_test {
namespace {

template <class C>
std::vector<C> random_row(int64_t n, Random& random, double size) {
  std::vector<C> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(static_cast<C>(random.real(-size, size)));
  return out;
}

// A number e^(x - m) is off by a factor of u (|x| + |m|) for x and m (and u |scale row| for the
// rounded scale), u |x - m| for their difference, and 2 u for e^x, which is within an ulp; below
// the least normal number by that number. Twice as much in f64, where the truth is off as well.
template <class C>
void expect_softmax(int64_t n, double size, bool with_bias, bool largest_last, Random& random) {
  auto row = random_row<C>(n, random, size), bias = random_row<C>(n, random, size);
  if (largest_last && n > 0) row.back() = bias.back() = static_cast<C>(size);
  const double scale = 0.3, u = std::numeric_limits<C>::epsilon() * (sizeof(C) == 8 ? 1 : 0.5);
  auto found = row;
  const double sum = cpu::softmax_row(found.data(), with_bias ? bias.data() : nullptr, scale, n);
  std::vector<double> x;
  double m = -INFINITY, total = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    x.push_back(static_cast<double>(row[i]) * scale +
                (with_bias ? static_cast<double>(bias[i]) : 0));
    m = std::max(m, x[i]);
  }
  double worst = 0;
  for (size_t i = 0; i < row.size(); ++i) {
    const double e = std::exp(x[i] - m);
    const double off = 1.01 * u * (3 * size + (m - x[i]) + 2);
    ASSERT_NEAR(found[i], e, off * e + std::numeric_limits<C>::min()) << i << " of " << n;
    total += e, worst = std::max(worst, off);
  }
  EXPECT_NEAR(sum, total, (worst + static_cast<double>(n) * u) * total);
}

TEST(Softmax, IsItsFormula) {
  for_every_target([] {
    Random random(1);
    for (const int64_t n : {0, 1, 2, 3, 4, 5, 7, 8, 15, 16, 17, 31, 33, 64, 100, 1023, 1025, 5000})
      for (const double size : {1.0, 300.0})
        for (const bool with_bias : {false, true})
          for (const bool largest_last : {false, true}) {
            expect_softmax<float>(n, size, with_bias, largest_last, random);
            expect_softmax<double>(n, size, with_bias, largest_last, random);
          }
  });
}

template <class C>
void expect_hidden() {
  constexpr C hidden = -std::numeric_limits<C>::infinity();
  for (const size_t n : {1, 5, 37}) {
    std::vector<C> row(n, C{2}), bias(n, hidden);
    EXPECT_EQ(cpu::softmax_row(row.data(), bias.data(), 1, static_cast<int64_t>(n)), 0);
    EXPECT_EQ(row, std::vector<C>(n, C{0}));
    row.assign(n, C{2}), bias[n / 2] = 0;
    EXPECT_EQ(cpu::softmax_row(row.data(), bias.data(), 1, static_cast<int64_t>(n)), 1);
    for (size_t i = 0; i < n; ++i) EXPECT_EQ(row[i], i == n / 2 ? 1 : 0);
  }
}

TEST(Softmax, HiddenKeysWeighNothing) {
  for_every_target([] { expect_hidden<float>(), expect_hidden<double>(); });
}

TEST(Softmax, ANanStaysANan) {
  for_every_target([] {
    for (const size_t at : {0, 3, 16, 36}) {
      std::vector<float> row(37, 1.0f);
      row[at] = NAN;
      EXPECT_TRUE(std::isnan(cpu::softmax_row(row.data(), nullptr, 1, 37))) << at;
      EXPECT_TRUE(std::isnan(row[at]));
    }
  });
}

}  // namespace
}  // namespace posenc::softmax_test
