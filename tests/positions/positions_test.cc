// positions_test.cc: positions of any rank become [axes, rows, tokens].
#include "posenc/positions.h"

#include <gtest/gtest.h>

#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::positions_test {
namespace {

TEST(Positions, ARangeIsItsFirstPosition) {
  EXPECT_TRUE(range().is_range());
  EXPECT_EQ(range().first, 0);
  EXPECT_EQ(range(-7).first, -7);
  EXPECT_TRUE(Positions{}.is_range());
}

TEST(Positions, MissingAxesAreAddedInFront) {
  Random random(1);
  struct Case {
    std::vector<int64_t> given;
    int64_t axes, rows;
  };
  for (DType dtype : {DType::i32, DType::i64, DType::f64})
    for (Placement placement : all_placements)
      for (const Case& c : {Case{{5}, 1, 1}, Case{{3, 5}, 1, 3}, Case{{2, 3, 5}, 2, 3}}) {
        Guarded ids(dtype, c.given, placement);
        randomize_ids(ids.view(), random, -100, 100);
        const Positions p = positions(ids.view());
        EXPECT_FALSE(p.is_range());
        ASSERT_EQ(p.ids.rank, 3);
        EXPECT_EQ(p.ids.size(0), c.axes);
        EXPECT_EQ(p.ids.size(1), c.rows);
        EXPECT_EQ(p.ids.size(2), 5);
        EXPECT_EQ(p.ids.data, ids.view().data);
        EXPECT_EQ(numbers(p.ids), numbers(ids.view()));
      }
}

TEST(Positions, NoTokens) {
  const Positions p = positions(tensor<int32_t>(nullptr, {0}));
  EXPECT_FALSE(p.is_range());
  EXPECT_EQ(p.ids.size(2), 0);
}

TEST(Positions, OtherTypesAndRanksAreRefused) {
  float numbers[16] = {};
  for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    const Tensor t = tensor(numbers, dtype, std::array<int64_t, 1>{4});
    expect_message([&] { positions(t); }, "[positions] expected i32, i64 or f64");
  }
  const int64_t shape[] = {1, 1, 2, 2};
  expect_message([&] { positions(tensor(numbers, DType::i32, shape)); },
                 "expected [tokens], [rows, tokens] or [axes, rows, tokens], got i32 [1, 1, 2, 2]");
  expect_message([&] { positions(tensor(numbers, DType::i32, std::span(shape, 0))); },
                 "got i32 []");
  Tensor t = tensor(numbers, DType::i32, shape);
  t.rank = 1000;
  expect_message([&] { positions(t); }, "got a tensor of rank 1000");
}

}  // namespace
}  // namespace posenc::positions_test
