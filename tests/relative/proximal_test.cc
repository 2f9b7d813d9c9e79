// proximal_test.cc: the proximal bias against numbers and the formula.
#include "posenc/relative/proximal.h"

#include <gtest/gtest.h>

#include <cmath>

#include "posenc/relative.h"
#include "posenc/scheme.h"
#include "tests/support/message.h"

namespace posenc::proximal_test {
namespace {

TEST(Proximal, WorkedNumbers) {  // six digits after the point
  const auto plan = prepare(Proximal{});
  EXPECT_NEAR(bias(plan, 0, 3, 0), -1.386294, 5e-7);
  EXPECT_NEAR(bias(plan, 7, 10, 13), -1.386294, 5e-7);
  EXPECT_EQ(bias(plan, 0, 5, 5), 0);
}

// Both functions are within an ulp, and so is the sum that log reads.
TEST(Proximal, IsTheFormula) {
  const auto plan = prepare(Proximal{.heads = 3});
  for (const double r : {0.0, 1.0, 2.5, -40.0, 3000.0, -1e9})
    for (int64_t h = 0; h < 3; ++h)
      EXPECT_NEAR(bias(plan, h, 100, 100 + r), -std::log(1 + std::abs(r)), 0x1p-46);
}

TEST(Proximal, ProfilesAndScores) {
  const auto plan = prepare(Proximal{.heads = 2});
  std::vector<double> line(2 * 7), scores(2 * 3 * 4, 0.5);
  fill_profile(plan, tensor(line.data(), {2, 7}), -3);
  add(plan, tensor(scores.data(), {2, 3, 4}));
  for (size_t n = 0; n < scores.size(); ++n)
    EXPECT_EQ(scores[n], 0.5 + line[n / 12 * 7 + 3 + n % 4 - n / 4 % 3]);
}

TEST(Proximal, NamesAndSentences) {
  EXPECT_EQ(alternative_name(make_scheme("t2t-proximal")), "proximal");
  expect_message([] { Proximal{.heads = 0}.check(); }, "[proximal] expected heads from 1");
}

}  // namespace
}  // namespace posenc::proximal_test
