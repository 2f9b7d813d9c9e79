// sixteen_test.cc: the rotation kernel reads and writes every number of 16 bits as it is.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/half.h"
#include "cpu/kernels/rotate.h"
#include "tests/support/every_target.h"

namespace posenc::sixteen_test {
namespace {

constexpr int64_t pairs = 75, features = 2 * pairs;  // not a multiple of any vector
constexpr int64_t heads = (1 << 16) / pairs + 1;     // room for every number

// Turned by no angle a pair is itself: every number as the first of a pair, then as the second, in
// descending order, so that vectors of normal numbers come before and after subnormal ones.
template <class T>
void expect_kept(Layout layout, bool second, T other) {
  std::vector<T> x(static_cast<size_t>(heads * features), other);
  const auto place = [&](int64_t n) {
    const int64_t m = second ? (1 << 16) - n : n, k = m % pairs, b = second ? 1 : 0;
    return static_cast<size_t>(m / pairs * features +
                               (layout == Layout::half ? b * pairs + k : 2 * k + b));
  };
  for (int64_t n = 0; n < 1 << 16; ++n) x[place(n)].bits = static_cast<uint16_t>(n);
  std::vector<float> row(features);
  std::fill_n(row.begin(), pairs, 1.0f);
  const cpu::Heads at{x.data(), 0, features, 1};
  const RotarySpan span{features, 0, pairs, 1, layout};
  cpu::rotate_kernel(dtype_of<T>, layout)(span, at, at, 1, heads, {row.data(), pairs, 0}, false);
  for (int64_t n = 0; n < 1 << 16; ++n) {
    const float want = to_f32(T{static_cast<uint16_t>(n)}), got = to_f32(x[place(n)]);
    ASSERT_TRUE(std::isnan(want) ? std::isnan(got) : got == want) << got << " for " << want;
    if (!second && !std::isnan(want)) {
      ASSERT_EQ(std::signbit(got), std::signbit(want)) << want;
    }
  }
}

TEST(RotationOfSixteenBits, KeepsEveryNumber) {
  for_every_target([] {
    for (const Layout layout : {Layout::half, Layout::interleaved})
      for (const bool second : {false, true}) {
        for (const float other : {0.0f, 1.0f}) {
          expect_kept(layout, second, rounded_to<F16>(other));
          expect_kept(layout, second, rounded_to<BF16>(other));
        }
      }
  });
}

}  // namespace
}  // namespace posenc::sixteen_test
