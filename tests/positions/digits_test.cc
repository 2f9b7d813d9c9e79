// digits_test.cc: digits counted inside their numbers, as Abacus does.
#include "posenc/positions/digits.h"

#include <gtest/gtest.h>

#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::digits_test {
namespace {

using Ids = std::vector<int64_t>;

TEST(Digits, CountInsideTheirNumbers) {
  const std::vector<int32_t> ids{50, 7, 3, 1, 51, 4, 2, 52, 9, 9, 9, 9, 50, 50, 0, 51};
  const Ids of{0, 1, 2, 3, 4, 5, 6, 7, 8, 9};
  const auto at = digits(tensor(ids.data(), {2, 8}), of);
  EXPECT_EQ(at, (PlannedPositions{1, 2, 8, {0, 1, 2, 3, 0, 1, 2, 0, 1, 2, 3, 4, 0, 0, 1, 0}}));
  const auto shifted = digits(tensor(ids.data(), {2, 8}), of, 40);
  for (size_t n = 0; n < at.ids.size(); ++n)
    EXPECT_EQ(shifted.ids[n], at.ids[n] == 0 ? 0 : at.ids[n] + 40);
}

// A token is one further than the one before it, or the first, or no digit; for random text.
TEST(Digits, EveryRunBeginsAtOne) {
  Random random(1);
  for (const DType dtype : {DType::i32, DType::i64}) {
    Guarded ids(dtype, {5, 200}, Placement::spaced);
    randomize_ids(ids.view(), random, 0, 4);
    const auto at = digits(ids.view(), Ids{1, 3, 4});
    for (int64_t row = 0; row < 5; ++row)
      for (int64_t t = 0; t < 200; ++t) {
        const double id = get(ids.view(), row * 200 + t);
        const bool digit = id == 1 || id == 3 || id == 4;
        EXPECT_EQ(at.at(0, row, t), !digit ? 0 : 1 + (t > 0 ? at.at(0, row, t - 1) : 0));
      }
  }
}

TEST(Digits, SpeakUp) {
  const std::vector<float> ids(3);
  expect_message([&] { digits(tensor(ids.data(), {3}), {}); }, "expected ids as i32 or i64");
}

}  // namespace
}  // namespace posenc::digits_test
