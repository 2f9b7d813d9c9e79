// sixteen_test.cc: f16 and bf16, number by number and through the kernels.
#include "base/half.h"

#include <gtest/gtest.h>

#include <bit>

#include "posenc/absolute.h"
#include "tests/support/every_target.h"
#include "tests/support/nearest.h"
#include "tests/support/random.h"

namespace posenc::half_test {
namespace {

template <class T>
constexpr uint16_t infinity = std::is_same_v<T, F16> ? 0x7c00 : 0x7f80;
template <class T>
bool is_nan(T x) {
  return (x.bits & 0x7fff) > infinity<T>;
}
bool is_nan(float x) { return (std::bit_cast<uint32_t>(x) & 0x7fffffff) > 0x7f800000; }

template <class T>
class Sixteen : public testing::Test {};
using Both = testing::Types<F16, BF16>;
TYPED_TEST_SUITE(Sixteen, Both);

TYPED_TEST(Sixteen, EveryNumberIsWhatItsBitsSay) {
  using T = TypeParam;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const T x{static_cast<uint16_t>(bits)}, size{static_cast<uint16_t>(bits & 0x7fff)};
    const float f = to_f32(x);
    ASSERT_EQ(is_nan(f), is_nan(x)) << bits;
    ASSERT_EQ(std::bit_cast<uint32_t>(f) >> 31, bits >> 15) << bits;
    if (size.bits == infinity<T>) {
      ASSERT_EQ(std::bit_cast<uint32_t>(f) & 0x7fffffff, 0x7f800000u);
    } else if (!is_nan(x)) {
      ASSERT_EQ(std::abs(static_cast<double>(f)), value_of(size)) << bits;
    }
  }
}

TYPED_TEST(Sixteen, EveryNumberComesBack) {
  using T = TypeParam;
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const T x{static_cast<uint16_t>(bits)}, back = rounded_to<T>(to_f32(x));
    if (!is_nan(x)) {
      ASSERT_EQ(back.bits, x.bits);
    } else {
      ASSERT_TRUE(is_nan(back));
      ASSERT_EQ(back.bits >> 15, x.bits >> 15);
    }
  }
}

template <class T>
void expect_nearest(float x) {
  ASSERT_EQ(rounded_to<T>(x).bits, nearest<T>(x).bits) << std::bit_cast<uint32_t>(x);
}

// From f64 too, where rounding to f32 on the way may leave a tie that was none.
TYPED_TEST(Sixteen, RoundsDoublesOnce) {
  using T = TypeParam;
  Random random(2);
  for (int i = 0; i < 100'000; ++i) {
    const T x{static_cast<uint16_t>(random.integer(0, infinity<T> - 1))};
    const double between = (value_of(x) + value_of(T{static_cast<uint16_t>(x.bits + 1)})) / 2;
    for (const double d : {between, std::nextafter(between, 1e300), std::nextafter(between, 0.0),
                           between * (1 + 0x1p-40), value_of(x) * (1 + random.real(0, 0x1p-7))})
      for (const double y : {d, -d}) ASSERT_EQ(rounded_once<T>(y).bits, nearest<T>(y).bits) << y;
  }
  ASSERT_EQ(rounded_once<T>(1e300).bits, infinity<T>);
  ASSERT_EQ(rounded_once<T>(-1e-300).bits, 0x8000);
}

TYPED_TEST(Sixteen, RoundsToTheNearest) {
  using T = TypeParam;
  Random random(1);
  for (int i = 0; i < 300'000; ++i) {
    const auto bits = static_cast<uint32_t>(random.bits());
    if ((bits & 0x7f800000) != 0x7f800000) expect_nearest<T>(std::bit_cast<float>(bits));
    // Around the numbers that sixteen bits can hold, subnormal ones too.
    expect_nearest<T>(static_cast<float>(random.real() * std::exp2(random.real(-30, 18))));
  }
}

// Half way between neighbours, and one step of f32 to either side; the last is half way to
// infinity.
TYPED_TEST(Sixteen, TiesGoToEven) {
  using T = TypeParam;
  for (uint16_t bits = 0; bits < infinity<T>; ++bits) {
    const double middle = (value_of(T{bits}) + value_of(T{static_cast<uint16_t>(bits + 1)})) / 2;
    const auto x = static_cast<float>(middle);
    ASSERT_EQ(static_cast<double>(x), middle);
    const auto at = std::bit_cast<uint32_t>(x);
    for (uint32_t b : {at - 1, at, at + 1})
      for (uint32_t sign : {0u, 0x80000000u}) expect_nearest<T>(std::bit_cast<float>(b | sign));
    ASSERT_EQ(rounded_to<T>(x).bits % 2, 0);
  }
}

TYPED_TEST(Sixteen, InfinitiesAndNaN) {
  using T = TypeParam;
  for (uint32_t sign : {0u, 0x80000000u}) {
    const auto top = static_cast<uint16_t>(sign >> 16);
    EXPECT_EQ(rounded_to<T>(std::bit_cast<float>(0x7f800000u | sign)).bits, infinity<T> | top);
    EXPECT_EQ(rounded_to<T>(std::bit_cast<float>(0x7f7fffffu | sign)).bits, infinity<T> | top);
    for (uint32_t nan : {0x7fc00000u, 0x7f800001u, 0x7fffffffu, 0x7f802000u}) {
      const T x = rounded_to<T>(std::bit_cast<float>(nan | sign));
      EXPECT_TRUE(is_nan(x)) << nan;
      EXPECT_EQ(x.bits & 0x8000, top);
    }
  }
}

// add() loads, sums in f32 and stores once: its result is the nearest to x + the row of f32.
template <class T>
void expect_sums(int64_t dim, double scale, Random& random) {
  const int64_t tokens = 40;
  const auto n = static_cast<size_t>(tokens * dim);
  std::vector<T> x(n), out(n);
  std::vector<float> row(n);
  for (T& v : x) {
    v = {static_cast<uint16_t>(random.bits())};
    if ((v.bits & infinity<T>) == infinity<T>) v.bits ^= 0x0400;  // not finite: clear one bit
  }
  const auto plan = prepare(Sinusoidal{.dim = dim, .scale = scale});
  fill(plan, tensor(row.data(), {tokens, dim}));
  add(plan, tensor(x.data(), {tokens, dim}), tensor(out.data(), {tokens, dim}));
  for (size_t i = 0; i < n; ++i) {
    const float sum = to_f32(x[i]) + row[i];
    if ((std::bit_cast<uint32_t>(sum) & 0x7f800000) == 0x7f800000) continue;  // past f32 itself
    ASSERT_EQ(out[i].bits, nearest<T>(sum).bits) << sum << " dim " << dim << " scale " << scale;
  }
}

TYPED_TEST(Sixteen, KernelsRoundToTheNearest) {
  for_every_target([] {
    Random random(2);
    for (int64_t dim = 1; dim <= 70; ++dim)
      for (double scale : {1.0, 1e-4, 1e-7, 3e4}) expect_sums<TypeParam>(dim, scale, random);
  });
}

TYPED_TEST(Sixteen, KernelsCarryEveryNumber) {
  using T = TypeParam;
  for_every_target([] {
    std::vector<T> x(65536), out(65536);
    for (uint32_t bits = 0; bits < 65536; ++bits) x[bits] = {static_cast<uint16_t>(bits)};
    const auto plan = prepare(Sinusoidal{.dim = 64, .scale = 0});
    add(plan, tensor(x.data(), {1024, 64}), tensor(out.data(), {1024, 64}));
    for (uint32_t bits = 0; bits < 65536; ++bits) {
      ASSERT_EQ(is_nan(out[bits]), is_nan(x[bits])) << bits;
      if (is_nan(x[bits]) || (bits & 0x7fff) == 0) continue;  // -0 + 0 is 0
      ASSERT_EQ(out[bits].bits, x[bits].bits);
    }
  });
}

}  // namespace
}  // namespace posenc::half_test
