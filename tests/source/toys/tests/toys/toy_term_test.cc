// toy_term_test.cc: the toy, from its formula.
#include <gtest/gtest.h>

#include "posenc/content.h"

namespace posenc::toy_term_test {
namespace {

TEST(ToyTerm, IsItsFormula) {
  float q[] = {1, 2, 3, 4}, table[] = {10, 100};
  std::vector<float> scores(4);
  const auto plan = prepare(ToyTerm{.dim = 2}, {.weights = {{tensor(table, {1, 2})}}});
  add(plan, {.q = tensor(q, {2, 1, 2})}, tensor(scores.data(), {1, 2, 2}));
  EXPECT_EQ(scores, (std::vector<float>{210, 210, 430, 430}));
}

}  // namespace
}  // namespace posenc::toy_term_test
