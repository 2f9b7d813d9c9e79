// segments_test.cc: vectors for the same segment and for another.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/segments.h"

namespace posenc::segments_test {
namespace {

TEST(Segments, Rows) {
  const Segments xlnet{};
  EXPECT_EQ(xlnet.row(0, 0), 0);
  EXPECT_EQ(xlnet.row(0, 1), 1);
  EXPECT_EQ(xlnet.row(2, 0), 1);
  const Segments funnel{.rows = SegmentRows::other_first, .joined = 2};
  EXPECT_EQ(funnel.row(1, 1), 1);
  EXPECT_EQ(funnel.row(0, 1), 0);
  for (int64_t other = 0; other < 3; ++other) {  // the class token is one with all
    EXPECT_EQ(funnel.row(2, other), 1);
    EXPECT_EQ(funnel.row(other, 2), 1);
  }
}

TEST(Segments, IsItsFormula) {
  Random random(61);
  const TestPlaces queries(DType::i32, {2, 37}, random, 0, 3), keys(DType::i64, {41}, random, 0, 3);
  const Sizes n{2, 3, 37, 41};
  for (const DType dtype : float_types)
    for (const Segments& s :
         {Segments{.dim = 9, .heads = 4},
          Segments{.dim = 6, .heads = 4, .rows = SegmentRows::other_first, .joined = 2}}) {
      const Stand t(s, dtype, n, random, Placement::padded);
      add(t.plan, t.inputs(), t.scores.view(), t.out.view(),
          {.queries = queries.at(), .keys = keys.at(), .first_head = 1});
      for_every_score(n, [&](int64_t row, int64_t head, int64_t query, int64_t key) {
        const auto at = [&](const TestPlaces& p, int64_t token) {
          return static_cast<int64_t>(p.place(1, row, token)[0]);
        };
        const At a{row, head, query, key, at(queries, query), at(keys, key), head + 1};
        const Sum sum = term(s, t, a);
        const int64_t place = t.score(row, head, query, key);
        const double score = get(t.scores.view(), place);
        ASSERT_NEAR(get(t.out.view(), place), score + sum.value, allowed(dtype, sum, score));
      });
    }
}

TEST(Segments, OptionsAreChecked) {
  EXPECT_THROW((Segments{.dim = 0}).check(), Error);
  EXPECT_THROW((Segments{.heads = 0}).check(), Error);
  EXPECT_THROW((Segments{.joined = -2}).check(), Error);
  for (const auto& preset : Segments::presets()) EXPECT_NO_THROW(preset.value.check());
}

}  // namespace
}  // namespace posenc::segments_test
