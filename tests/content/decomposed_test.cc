// decomposed_test.cc: vectors of offsets along the sides of grids.
#include <gtest/gtest.h>

#include "tests/content/decomposed.h"
#include "tests/content/formulas.h"

namespace posenc::decomposed_test {
namespace {

TEST(Decomposed, WorkedRows) {
  const int64_t worked[2][2] = {{1, 0}, {2, 1}};
  for (int64_t q = 0; q < 2; ++q)
    for (int64_t k = 0; k < 2; ++k) EXPECT_EQ(Decomposed::row(q, k, 2, 2), worked[q][k]);
}

// Whole numbers give what SAM's code has in floating point, for sides of all ratios.
TEST(Decomposed, RowsOfEveryRatio) {
  for (int64_t queries = 1; queries < 25; ++queries)
    for (int64_t keys = 1; keys < 25; ++keys)
      for (int64_t n = 0; n < queries * keys; ++n) {
        const int64_t q = n / keys, k = n % keys, row = Decomposed::row(q, k, queries, keys);
        ASSERT_EQ(row, side_row(q, k, queries, keys)) << q << " of " << queries << ", " << k;
        ASSERT_TRUE(row >= 0 && row < 2 * std::max(queries, keys) - 1);
      }
}

TEST(Decomposed, IsItsFormula) {
  Random random(51);
  const Decomposed schemes[] = {{.dim = 12, .height = 7, .width = 10},
                                {.dim = 9, .height = 14, .width = 5, .key_height = 7},
                                {.dim = 6, .height = 4, .width = 17, .key_width = 18},
                                {.dim = 5, .height = 7, .width = 10, .table_height = 12},
                                {.dim = 5, .height = 7, .width = 10, .table_width = 3},
                                {.dim = 1, .height = 1, .width = 1}};
  const ScoreOptions options[] = {{},
                                  {.queries = range(-1), .keys = range(-1), .scale = 0.3},
                                  {.queries = range(9), .keys = range(3), .first_head = 2},
                                  {.causal = true, .scale = 0.5, .scale_on = ScaleOn::sum}};
  for (const DType dtype : float_types)
    for (const Decomposed& s : schemes)
      for (const ScoreOptions& o : options)
        expect_term(s, Stand(s, dtype, {2, 3, 67, 70}, random), o);
}

// A class token before the grid, which range(-1) begins with, gets nothing and gives nothing.
TEST(Decomposed, ClassTokensGetNothing) {
  Random random(52);
  const Stand t(Decomposed{.dim = 4, .height = 2, .width = 3}, DType::f32, {1, 2, 7, 7}, random);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(), {.queries = range(-1), .keys = range(-1)});
  for (int64_t n = 0; n < 2 * 7 * 7; ++n) {
    const bool plain = n % 7 == 0 || n / 7 % 7 == 0;
    EXPECT_EQ(get(t.out.view(), n) == get(t.scores.view(), n), plain) << n;
  }
}

// Tables that fit are taken as they are; others as resize() makes them.
TEST(Decomposed, TablesAreResizedAsSamDoes) {
  Random random(53);
  const Decomposed small{.dim = 3, .height = 5, .width = 6, .table_height = 4, .table_width = 9};
  const Decomposed fits{.dim = 3, .height = 5, .width = 6};
  const Stand t(small, DType::f64, {1, 2, 30, 30}, random);
  const Array h = make_array(DType::f64, {9, 3}), w = make_array(DType::f64, {11, 3});
  const Weights wide = zero_weights(small.weights(), DType::f64);
  for (size_t i = 0; i < 2; ++i)
    for (int64_t n = 0; n < wide.views()[i].elements(); ++n)
      set(wide.views()[i], n, t.weight(i, n));
  resize(wide.views()[0], h.view(), Resize::linear);
  resize(wide.views()[1], w.view(), Resize::linear);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view());
  const auto ours = numbers(t.out.view());
  add(prepare(fits, {.weights = {{h.view(), w.view()}}}), t.inputs(), t.scores.view(),
      t.out.view());
  EXPECT_EQ(ours, numbers(t.out.view()));
}

TEST(Decomposed, OptionsAreChecked) {
  EXPECT_THROW((Decomposed{.dim = 0}).check(), Error);
  EXPECT_THROW((Decomposed{.height = 0}).check(), Error);
  EXPECT_THROW((Decomposed{.key_width = -1}).check(), Error);
  EXPECT_THROW((Decomposed{.table_height = max_size + 1}).check(), Error);
  for (const auto& preset : Decomposed::presets()) EXPECT_NO_THROW(preset.value.check());
  const auto w = Decomposed{.height = 64, .width = 64, .table_height = 14}.weights();
  EXPECT_EQ(w[0].shape, (std::vector<int64_t>{27, 64}));
  EXPECT_EQ(w[1].shape, (std::vector<int64_t>{127, 64}));
}

}  // namespace
}  // namespace posenc::decomposed_test
