// t5_test.cc: buckets of every distance, against whole numbers and against logarithms.
#include <gmpxx.h>

#include "posenc/relative.h"
#include "tests/support/elements.h"
#include "tests/support/message.h"

namespace posenc::t5_test {
namespace {

constexpr int64_t farthest = 1'000'000;

// The formula as it is written, in a type of its own; r > 0, n buckets on this side.
template <class F>
int64_t by_logarithm(int64_t r, int64_t n, int64_t max_distance) {
  const int64_t e = n / 2;
  if (r < e) return r;
  const F ratio =
      std::log(static_cast<F>(r) / static_cast<F>(e)) /
      static_cast<F>(std::log(static_cast<double>(max_distance) / static_cast<double>(e)));
  return std::min(e + static_cast<int64_t>(ratio * static_cast<F>(n - e)), n - 1);
}

// bucket(r) >= e + t exactly when r^(n - e) e^t >= M^t e^(n - e).
bool reaches(int64_t r, int64_t t, int64_t n, int64_t max_distance) {
  const auto power = [](int64_t base, int64_t exponent) {
    mpz_class out = 1;
    for (int64_t i = 0; i < exponent; ++i) out *= base;
    return out;
  };
  const int64_t e = n / 2;
  return power(r, n - e) * power(e, t) >= power(max_distance, t) * power(e, n - e);
}

struct Side {
  int64_t n, max_distance;
};
const Side sides[] = {{16, 128}, {32, 128}, {160, 800}, {32, 256}, {64, 512}, {7, 20}, {2, 3}};

T5Bias one_sided(const Side& s) {
  return {.heads = 1, .buckets = s.n, .max_distance = s.max_distance, .bidirectional = false};
}
T5Bias two_sided(const Side& s) {
  return {.heads = 1, .buckets = 2 * s.n, .max_distance = s.max_distance};
}

// Buckets of distances 0, -1, -2, ... and of 1, 2, ...: the table holds its own row numbers.
std::vector<double> line(const T5Bias& scheme, int64_t first, int64_t count) {
  std::vector<double> table, out(static_cast<size_t>(count));
  for (int64_t b = 0; b < scheme.buckets; ++b) table.push_back(static_cast<double>(b));
  const Tensor weights[] = {tensor(table.data(), {scheme.buckets, 1})};
  fill_profile(prepare(scheme, {.weights = weights}), tensor(out.data(), {1, count}), first);
  return out;
}

TEST(T5Buckets, EveryDistanceUpToAMillion) {
  for (const Side& s : sides) {
    const auto one = line(one_sided(s), -farthest, 2 * farthest + 1);
    const auto two = line(two_sided(s), -farthest, 2 * farthest + 1);
    for (int64_t r = 0; r <= farthest; ++r) {
      const auto before = static_cast<size_t>(farthest - r),
                 after = static_cast<size_t>(farthest + r);
      const auto truth = static_cast<double>(by_logarithm<double>(r, s.n, s.max_distance));
      ASSERT_EQ(truth, static_cast<double>(by_logarithm<float>(r, s.n, s.max_distance))) << r;
      ASSERT_EQ(one[before], truth) << r << " before, " << s.n << " " << s.max_distance;
      ASSERT_EQ(one[after], 0) << r;
      ASSERT_EQ(two[before], truth) << r;
      ASSERT_EQ(two[after], r == 0 ? 0 : truth + static_cast<double>(s.n)) << r;
    }
  }
}

// No power is rounded: each bucket begins where whole numbers say so.
TEST(T5Buckets, BoundsAreExact) {
  for (const Side& s : sides) {
    const auto bounds = one_sided(s).bounds();
    ASSERT_EQ(std::ssize(bounds), s.n);
    for (int64_t t = 1; t < s.n - s.n / 2; ++t) {
      const int64_t first = bounds[static_cast<size_t>(s.n / 2 + t)];
      EXPECT_TRUE(reaches(first, t, s.n, s.max_distance)) << t;
      EXPECT_FALSE(reaches(first - 1, t, s.n, s.max_distance)) << t;
    }
  }
}

TEST(T5Buckets, WorkedNumbers) {
  const T5Bias encoder{}, decoder{.bidirectional = false};
  const int64_t starts[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91};
  const auto bounds = encoder.bounds();
  EXPECT_TRUE(std::equal(bounds.begin(), bounds.end(), std::begin(starts), std::end(starts)));
  for (int64_t b = 0; b < 16; ++b) {
    EXPECT_EQ(encoder.bucket(-starts[b]), b);
    EXPECT_EQ(encoder.bucket(starts[b]), b == 0 ? 0 : b + 16);
  }
  EXPECT_EQ(encoder.bucket(-90), 14);
  EXPECT_EQ(encoder.bucket(int64_t{1} << 53), 31);
  const std::pair<int64_t, int64_t> pairs[] = {
      {0, 0},   {15, 15},  {16, 16},  {18, 16},       {19, 17}, {31, 21},      {32, 21},
      {64, 26}, {112, 30}, {113, 31}, {farthest, 31}, {-1, 0},  {-farthest, 0}};
  for (const auto& [distance, bucket] : pairs) EXPECT_EQ(decoder.bucket(-distance), bucket);
}

TEST(T5Bias, ReadsTheTable) {
  Random random(1);
  const T5Bias scheme{.heads = 5, .buckets = 10, .max_distance = 30, .scale = 8};
  std::vector<double> table(50);
  for (double& v : table) v = random.real();
  const Tensor weights[] = {tensor(table.data(), {10, 5})};
  const auto plan = prepare(scheme, {.weights = weights});
  for (int64_t r = -40; r <= 40; ++r)
    for (int64_t h = 0; h < 5; ++h)
      EXPECT_EQ(bias(plan, h, 100, static_cast<double>(100 + r)),
                8 * table[static_cast<size_t>(scheme.bucket(r) * 5 + h)]);
}

TEST(T5Errors, Sentences) {
  const auto checked = [](const T5Bias& s) { return [s] { s.check(); }; };
  expect_message(checked({.heads = -1}), "[t5] expected heads from 1 to 1048576, got -1");
  expect_message(checked({.buckets = 3}), "[t5] expected buckets from 4 to 1024, even, got 3");
  expect_message(checked({.buckets = 9}), "[t5] expected buckets from 4 to 1024, even, got 9");
  expect_message(checked({.buckets = 1, .bidirectional = false}),
                 "[t5] expected buckets from 2 to 1024, got 1");
  expect_message(checked({.max_distance = 8}),
                 "[t5] expected max_distance above 8 and up to 2^31, got 8");
  expect_message(checked({.scale = NAN}), "[t5] expected scale");
  expect_message([] { prepare(T5Bias{}); }, "[t5] expected 1 weight");
}

}  // namespace
}  // namespace posenc::t5_test
