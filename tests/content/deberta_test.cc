// DeBERTa's buckets and its two terms.
#include <gtest/gtest.h>

#include <gmpxx.h>

#include "tests/content/deberta.h"
#include "tests/content/formulas.h"

namespace posenc::deberta_test {
namespace {

TEST(Deberta, WorkedNumbers) {
  const Deberta s{.buckets = 256, .max_distance = 512};
  const int64_t worked[][2] = {{127, 127}, {128, 128}, {129, 129}, {130, 130},  {200, 169},
                               {300, 207}, {511, 255}, {512, 256}, {-200, -169}};
  for (const auto& [distance, bucket] : worked) EXPECT_EQ(s.bucket(distance), bucket) << distance;
  EXPECT_EQ(s.row(511), 511);
  EXPECT_EQ(s.row(512), 511);
  EXPECT_EQ(s.row(-511), 1);
  EXPECT_EQ(s.row(-512), 0);
  EXPECT_EQ(s.row(0), 256);
}

// The last distance of each bucket m + t (m = b/2) up to 10^6: d^(m-1) m^t <= (M-1)^t m^(m-1), in
// whole numbers.
std::vector<int64_t> last_distances(const Deberta& s) {
  const auto m = static_cast<unsigned>(s.buckets / 2);
  const auto power = [](int64_t base, unsigned exponent) {
    mpz_class out = base;
    mpz_pow_ui(out.get_mpz_t(), out.get_mpz_t(), exponent);
    return out;
  };
  std::vector<int64_t> out{m};
  mpz_class left = 1, right = power(m, m - 1);
  while (out.back() < 1'000'000) {
    left *= m, right *= s.max_distance - 1;
    int64_t low = out.back(), high = 1'000'001;  // low belongs to it or to one before
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      (power(middle, m - 1) * left <= right ? low : high) = middle;
    }
    out.push_back(low);
  }
  return out;
}

// The last four have distances whose rounded logarithm lies just above a whole number: 32 of {32,
// 129} belongs to bucket 21, and log(2) / log(8) * 15 rounds to more than 5.
TEST(Deberta, BucketsOfEveryDistance) {
  struct Case {
    int64_t buckets, max_distance;
  };
  for (const Case c : {Case{256, 512},
                       {32, 128},
                       {320, 800},
                       {16, 129},
                       {4, 19},
                       {18, 26},
                       {18, 101},
                       {20, 81},
                       {32, 129}}) {
    const Deberta s{.buckets = c.buckets, .max_distance = c.max_distance};
    const auto last = last_distances(s);
    const int64_t m = c.buckets / 2;
    int64_t wrong = 0;
    size_t t = 0;
    for (int64_t d = 0; d <= 1'000'000; ++d) {
      while (d > last[t]) ++t;
      const int64_t expected = d <= m ? d : m + static_cast<int64_t>(t);
      wrong += s.bucket(d) != expected || s.bucket(-d) != -expected;
    }
    EXPECT_EQ(wrong, 0) << c.buckets << " buckets up to " << c.max_distance;
  }
}

TEST(Deberta, IsItsFormula) {
  Random random(61);
  const Deberta schemes[] = {
      {.dim = 12, .heads = 5, .buckets = 8, .max_distance = 20},
      {.dim = 12, .heads = 5, .buckets = 0, .max_distance = 6},
      {.dim = 7, .heads = 5, .buckets = 16, .max_distance = 40, .p2c = false},
      {.dim = 7, .heads = 5, .buckets = 16, .max_distance = 40, .c2p = false}};
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Deberta& s : schemes)
      for (const ScoreOptions& o :
           {ScoreOptions{.scale = s.scale(), .scale_on = ScaleOn::sum},
            ScoreOptions{
                .queries = range(31), .keys = range(5), .first_head = 2, .causal = true}}) {
        const Stand t(s, dtype, {2, 3, 67, 131}, random);
        expect_term(s, t, o);
      }
}

TEST(Deberta, ScaleCountsTheTerms) {
  EXPECT_DOUBLE_EQ((Deberta{.dim = 64}).scale(), 1 / std::sqrt(64.0 * 3));
  EXPECT_DOUBLE_EQ((Deberta{.dim = 64, .p2c = false}).scale(), 1 / std::sqrt(64.0 * 2));
}

}  // namespace
}  // namespace posenc::deberta_test
