// grid_test.cc: whole positions of patches.
#include "posenc/positions/grid.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <set>

#include "tests/positions/golden.h"
#include "tests/support/message.h"

namespace posenc::grid_test {
namespace {

using Ids = std::vector<int64_t>;

TEST(Grid, ThePicturesInTheHeader) {
  EXPECT_EQ(grid({.height = 2, .width = 3}),
            (PlannedPositions{2, 1, 6, {0, 0, 0, 1, 1, 1, 0, 1, 2, 0, 1, 2}}));
  const auto merged = grid({.height = 4, .width = 4, .merge = 2});
  EXPECT_EQ(Ids(merged.ids.begin(), merged.ids.begin() + 12),
            (Ids{0, 0, 1, 1, 0, 0, 1, 1, 2, 2, 3, 3}));
  EXPECT_EQ(Ids(merged.ids.begin() + 16, merged.ids.begin() + 28),
            (Ids{0, 1, 0, 1, 2, 3, 2, 3, 0, 1, 0, 1}));
}

TEST(Grid, OrderNamesTheAxesNotTheTokens) {
  const auto yx = grid({.height = 2, .width = 3});
  const auto xy = grid({.height = 2, .width = 3, .order = AxisOrder::xy});
  for (int64_t n = 0; n < 6; ++n) {
    EXPECT_EQ(yx.at(0, 0, n), xy.at(1, 0, n));
    EXPECT_EQ(yx.at(1, 0, n), xy.at(0, 0, n));
  }
}

// Llama-4: patches count from 1, the class token stands at 0.
TEST(Grid, ClassTokens) {
  const auto last = grid({.height = 1, .width = 2, .order = AxisOrder::xy, .first = 1, .after = 1});
  EXPECT_EQ(last.ids, (Ids{1, 2, 0, 1, 1, 0}));
  const auto both = grid({.height = 1, .width = 2, .before = 2, .after = 1, .extra_at = -9});
  EXPECT_EQ(both.ids, (Ids{-9, -9, 0, 0, -9, -9, -9, 0, 1, -9}));
}

TEST(Grid, AsTransformersDoesIt) {
  auto lines = golden_lines("grid");
  ASSERT_EQ(lines.size(), 4u);
  for (auto& line : lines) {
    Grid g;
    g.frames = next<int64_t>(line), g.height = next<int64_t>(line), g.width = next<int64_t>(line);
    g.merge = next<int64_t>(line), g.time = next<bool>(line);
    const auto count = next<int64_t>(line);
    EXPECT_EQ(grid(g).ids, next_values<int64_t>(line, count));
  }
}

RC_GTEST_PROP(Grid, EveryPatchOnceInBlocks, ()) {
  const auto size = [] { return *rc::gen::inRange<int64_t>(1, 5); };
  Grid g{.frames = size(), .time = true, .merge = size()};
  g.height = g.merge * size(), g.width = g.merge * size();
  const auto plan = grid(g);
  std::set<std::array<int64_t, 3>> seen;
  for (int64_t n = 0; n < plan.tokens; ++n) {
    const std::array at{plan.at(0, 0, n), plan.at(1, 0, n), plan.at(2, 0, n)};
    RC_ASSERT(seen.insert(at).second);
    const int64_t first = n - n % (g.merge * g.merge);  // of the block
    RC_ASSERT(at[1] / g.merge == plan.at(1, 0, first) / g.merge);
    RC_ASSERT(at[2] / g.merge == plan.at(2, 0, first) / g.merge);
  }
  RC_ASSERT(std::ssize(seen) == g.frames * g.height * g.width);
  RC_ASSERT(*seen.begin() == (std::array<int64_t, 3>{0, 0, 0}));
  RC_ASSERT(*seen.rbegin() == (std::array{g.frames - 1, g.height - 1, g.width - 1}));
}

TEST(Grid, NothingToPlace) {
  EXPECT_EQ(grid({.height = 0, .width = 5}).tokens, 0);
  EXPECT_EQ(grid({.frames = 0, .height = 2, .width = 2, .before = 1}).tokens, 1);
}

TEST(Grid, SaysWhatIsWrong) {
  expect_message([] { grid({.height = -1}); }, "[grid] expected height of at least 0, got -1");
  expect_message([] { grid({.width = -2}); }, "expected width of at least 0, got -2");
  expect_message([] { grid({.frames = -3}); }, "expected frames of at least 0, got -3");
  expect_message([] { grid({.merge = 0}); }, "expected merge of at least 1, got 0");
  expect_message([] { grid({.before = -1}); }, "expected tokens before the patches of at least 0");
  expect_message([] { grid({.after = -1}); }, "expected tokens after the patches of at least 0");
  expect_message([] { grid({.height = 4, .width = 3, .merge = 2}); },
                 "divisible by merge 2, got 4 x 3");
  expect_message([] { grid({.height = INT64_MAX, .width = 2}); },
                 "expected patches that fit 64 bits");
  expect_message([] { grid({.height = 3, .width = 2, .first = INT64_MAX}); },
                 "expected positions that fit 64 bits");
  expect_message([] { grid({.height = 1 << 30, .width = int64_t{1} << 30}); },
                 "expected bytes of positions that fit 64 bits");
  const int64_t side = int64_t{1} << 31;
  expect_message([&] { grid({.height = side, .width = side, .before = side * side}); },
                 "expected tokens that fit 64 bits");
}

}  // namespace
}  // namespace posenc::grid_test
