// toy_test.cc: the toy, from its formula.
#include <gtest/gtest.h>

#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc::toy_test {
namespace {

TEST(Toy, MatchesItsFormula) {
  const auto row = row_at(prepare(Toy{.dim = 5}), {3});
  for (size_t c = 0; c < 5; ++c)  // the cosine here is off by an ulp more
    EXPECT_NEAR(row[c], std::cos(std::ldexp(3.0, -static_cast<int>(c))), 4e-16 + 0x1p-53);
}

}  // namespace
}  // namespace posenc::toy_test
