// clipped_test.cc: rows of clipped biases.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::clipped_test {
namespace {

TEST(Clipped, WorkedNumbers) {
  const Clipped phi4{.max_distance = 4, .form = ClippedForm::half_open};
  EXPECT_EQ(phi4.rows(), 8);
  EXPECT_EQ(phi4.row(-9), 0);
  EXPECT_EQ(phi4.row(7), 7);
}

// Rows of r = -6 .. 6, for M = 4.
TEST(Clipped, EveryForm) {
  const struct {
    ClippedForm form;
    int64_t rows;
    std::vector<int64_t> row;
  } cases[] = {{ClippedForm::full, 9, {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 8, 8}},
               {ClippedForm::half_open, 8, {0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 7, 7, 7}},
               {ClippedForm::symmetric, 4, {3, 3, 3, 3, 2, 1, 0, 1, 2, 3, 3, 3, 3}}};
  for (const auto& c : cases) {
    const Clipped s{.heads = 3, .max_distance = 4, .form = c.form};
    EXPECT_EQ(s.rows(), c.rows);
    EXPECT_EQ(s.weights()[0].shape, (std::vector<int64_t>{c.rows, 3}));
    for (int64_t r = -6; r <= 6; ++r) EXPECT_EQ(s.row(r), c.row[static_cast<size_t>(r + 6)]) << r;
  }
}

TEST(Clipped, ReadsTheTable) {
  Random random(1);
  for (const auto form : {ClippedForm::full, ClippedForm::half_open, ClippedForm::symmetric})
    for (const int64_t m : {1, 5}) {
      const Clipped s{.heads = 3, .max_distance = m, .form = form};
      const PreparedBias p = prepare_random(s, random);
      const auto table = numbers(p.weights.arrays[0].view());
      for (int64_t r = -9; r <= 9; ++r)
        for (int64_t h = 0; h < 3; ++h)
          EXPECT_EQ(bias(p.plan, h, 50, static_cast<double>(50 + r)),
                    table[static_cast<size_t>(s.row(r) * 3 + h)]);
      // As far as positions go: no row past the table.
      EXPECT_EQ(bias(p.plan, 0, 0x1p52, -0x1p52), bias(p.plan, 0, 1000, 0));
      EXPECT_EQ(bias(p.plan, 0, -0x1p52, 0x1p52), bias(p.plan, 0, 0, 1000));
    }
}

TEST(Clipped, Sentences) {
  expect_message([] { Clipped{.max_distance = 0}.check(); },
                 "[clipped] expected max_distance from 1 to 1048576, got 0");
  expect_message([] { Clipped{.heads = 0}.check(); }, "[clipped] expected heads from 1");
}

}  // namespace
}  // namespace posenc::clipped_test
