// toy_rule_test.cc: the toy, from its formula.
#include <gtest/gtest.h>

#include <cmath>

#include "posenc/absolute.h"
#include "posenc/rotary.h"

namespace posenc::toy_rule_test {
namespace {

TEST(ToyRule, IsItsFormula) {
  const auto plan = prepare(Rope{.dim = 2, .layout = Layout::half, .scaling = ToyRule{3}});
  double row[2];
  fill(plan.table(), tensor(row, {1, 2}), range(6));
  // A row is within 4e-16 of the truth, as the functions here are.
  EXPECT_NEAR(row[0], std::cos(6.0 / 9), 8e-16);
  EXPECT_NEAR(row[1], std::sin(6.0 / 9), 8e-16);
}

}  // namespace
}  // namespace posenc::toy_rule_test
