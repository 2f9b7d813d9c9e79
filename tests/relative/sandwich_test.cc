// sandwich_test.cc: Sandwich against numbers and the formula.
#include "posenc/relative/sandwich.h"

#include <gtest/gtest.h>

#include <cmath>

#include "relative/formula.h"
#include "tests/support/message.h"

namespace posenc::sandwich_test {
namespace {

double sandwich(const Sandwich& s, int64_t head, double query, double key) {
  double out;
  s.formula({}).biases({head, 1}, &query, {&key, 1}, &out);
  return out;
}

TEST(Sandwich, WorkedNumbers) {  // five digits after the point
  EXPECT_NEAR(sandwich({}, 0, 5, 0), -7.77969, 5e-6);
  EXPECT_NEAR(sandwich({}, 7, 0, 5), -.97246, 5e-6);
}

TEST(Sandwich, IsTheFormula) {
  const Sandwich s{.heads = 6, .dim = 10};
  for (const double r : {0.0, 1.0, 2.5, 40.0, 3000.0})
    for (int64_t h = 0; h < 6; ++h) {
      double sum = -5;
      for (int k = 1; k <= 5; ++k) sum += std::cos(r / std::pow(10000, k / 5.0));
      // Five angles within 4 roundings of themselves, sums below 10, then a factor up to 3/4.
      EXPECT_NEAR(sandwich(s, h, 100, 100 + r), sum / (8 * (static_cast<double>(h) + 1) / 6),
                  5 * 8 * 0x1p-53 * (r + 10));
    }
}

TEST(Sandwich, OneHeadOrMany) {
  const Sandwich s{.heads = 5};
  const double query = 3, key = 40;
  double all[5];
  s.formula({}).biases({0, 5}, &query, {&key, 1}, all);
  for (int64_t h = 0; h < 5; ++h) EXPECT_EQ(all[h], sandwich(s, h, 3, 40));
}

TEST(Sandwich, Sentences) {
  expect_message([] { Sandwich{.dim = 7}.check(); }, "[sandwich] expected dim to be even, got 7");
  expect_message([] { Sandwich{.heads = 0}.check(); }, "[sandwich] expected heads from 1");
}

}  // namespace
}  // namespace posenc::sandwich_test
