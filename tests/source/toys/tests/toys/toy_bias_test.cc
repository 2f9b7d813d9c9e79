// toy_bias_test.cc: the toy, from its formula.
#include <gtest/gtest.h>

#include "posenc/relative.h"

namespace posenc::toy_bias_test {
namespace {

TEST(ToyBias, IsItsFormula) {
  const auto plan = prepare(ToyBias{.heads = 3});
  for (const double r : {0.0, 1.0, -7.0, 300.0}) EXPECT_EQ(bias(plan, 2, 10, 10 + r), -std::abs(r));
}

}  // namespace
}  // namespace posenc::toy_bias_test
