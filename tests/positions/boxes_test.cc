// boxes_test.cc: the sides of the boxes of words, for batches of any layout.
#include "posenc/positions/boxes.h"

#include <gtest/gtest.h>

#include "tests/support/elements.h"
#include "tests/support/guarded.h"

namespace posenc::boxes_test {
namespace {

// x0, y0, x1, y1, then height and width, which are cut to what tables have.
TEST(Boxes, OfEveryRow) {
  Random random(1);
  const int64_t rows = 3, tokens = 7, most = 50;
  for (const DType dtype : {DType::i32, DType::i64})
    for (const Placement placement : all_placements) {
      Guarded box(dtype, {rows, tokens, 4}, placement);
      randomize_ids(box.view(), random, 0, 99);
      const auto at = boxes(box.view(), most);
      for (int64_t n = 0; n < rows * tokens; ++n) {
        const auto side = [&](int64_t i) {
          return static_cast<int64_t>(get(box.view(), 4 * n + i));
        };
        const int64_t row = n / tokens, token = n % tokens;
        for (int64_t i = 0; i < 4; ++i) ASSERT_EQ(at.at(i, row, token), side(i));
        ASSERT_EQ(at.at(4, row, token), std::clamp<int64_t>(side(3) - side(1), 0, most));
        ASSERT_EQ(at.at(5, row, token), std::clamp<int64_t>(side(2) - side(0), 0, most));
      }
    }
}

}  // namespace
}  // namespace posenc::boxes_test
