// window_test.cc: which entry of the table a pair of tokens reads.
#include <map>

#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::window_test {
namespace {

constexpr WindowTable all_tables[] = {WindowTable::swin, WindowTable::beit, WindowTable::levit,
                                      WindowTable::maxvit};

// Offsets the way each model's code finds them, for tokens at (y, x).
int64_t plain_entry(const WindowBias& s, int64_t query, int64_t key) {
  const int64_t all = (2 * s.height - 1) * (2 * s.width - 1);
  if (s.table == WindowTable::beit) {
    if (query == 0 && key == 0) return all + 2;
    if (query == 0) return all;
    if (key == 0) return all + 1;
    --query, --key;
  }
  const int64_t qy = query / s.width, qx = query % s.width, ky = key / s.width, kx = key % s.width;
  switch (s.table) {
    case WindowTable::levit: {  // offsets numbered as they are first seen
      std::map<std::pair<int64_t, int64_t>, int64_t> seen;
      for (int64_t a = 0; a < s.height * s.width; ++a)
        for (int64_t b = 0; b < s.height * s.width; ++b)
          seen.try_emplace(
              {std::abs(a / s.width - b / s.width), std::abs(a % s.width - b % s.width)},
              std::ssize(seen));
      return seen.at({std::abs(qy - ky), std::abs(qx - kx)});
    }
    case WindowTable::maxvit:
      return (ky - qy + s.height - 1) * (2 * s.width - 1) + (kx - qx + s.width - 1);
    default:
      return (qy - ky + s.height - 1) * (2 * s.width - 1) + (qx - kx + s.width - 1);
  }
}

TEST(Window, WorkedNumbers) {
  const int64_t index[4][4] = {{4, 3, 1, 0}, {5, 4, 2, 1}, {7, 6, 4, 3}, {8, 7, 5, 4}};
  const WindowBias swin{.height = 2, .width = 2};
  const WindowBias maxvit{.height = 2, .width = 2, .table = WindowTable::maxvit};
  const WindowBias beit{.height = 2, .width = 2, .table = WindowTable::beit};
  for (int64_t q = 0; q < 4; ++q)
    for (int64_t k = 0; k < 4; ++k) {
      EXPECT_EQ(swin.entry(q, k), index[q][k]);
      EXPECT_EQ(maxvit.entry(q, k), index[k][q]);
      EXPECT_EQ(beit.entry(q + 1, k + 1), index[q][k]);
    }
  EXPECT_EQ(beit.entry(0, 3), 9);   // class -> token
  EXPECT_EQ(beit.entry(3, 0), 10);  // token -> class
  EXPECT_EQ(beit.entry(0, 0), 11);
}

TEST(Window, EveryPairOfAnyWindow) {
  for (const WindowTable table : all_tables)
    for (const auto& [height, width] : {std::pair{3, 5}, {5, 3}, {1, 4}, {4, 1}, {1, 1}, {4, 4}}) {
      const WindowBias s{.height = height, .width = width, .table = table};
      for (int64_t q = 0; q < s.tokens(); ++q)
        for (int64_t k = 0; k < s.tokens(); ++k) {
          ASSERT_EQ(s.entry(q, k), plain_entry(s, q, k)) << height << " x " << width;
          ASSERT_LT(s.entry(q, k), s.entries());
        }
    }
}

TEST(Window, ShapesOfTheTables) {
  const auto shape = [](WindowTable table) {
    return WindowBias{.heads = 2, .height = 3, .width = 5, .table = table}.weights()[0].shape;
  };
  using V = std::vector<int64_t>;
  EXPECT_EQ(shape(WindowTable::swin), (V{45, 2}));
  EXPECT_EQ(shape(WindowTable::beit), (V{48, 2}));
  EXPECT_EQ(shape(WindowTable::levit), (V{2, 15}));
  EXPECT_EQ(shape(WindowTable::maxvit), (V{2, 5, 9}));
}

TEST(Window, ReadsTheTable) {
  Random random(1);
  for (const WindowTable table : all_tables) {
    const WindowBias s{.heads = 2, .height = 3, .width = 5, .table = table};
    const PreparedBias p = prepare_random(s, random);
    const auto w = numbers(p.weights.arrays[0].view());
    const bool by_head = s.weights()[0].shape[0] == 2;
    for (int64_t q = 0; q < s.tokens(); ++q)
      for (int64_t k = 0; k < s.tokens(); ++k)
        for (int64_t h = 0; h < 2; ++h) {
          const int64_t e = plain_entry(s, q, k);
          ASSERT_EQ(bias(p.plan, h, static_cast<double>(q), static_cast<double>(k)),
                    w[static_cast<size_t>(by_head ? h * s.entries() + e : e * 2 + h)]);
        }
  }
}

// LeViT's stages that halve the grid: queries at every second token of the keys' grid.
TEST(Window, QueriesOfACoarserGrid) {
  Random random(2);
  const WindowBias s{.heads = 2, .height = 4, .width = 6, .table = WindowTable::levit};
  const PreparedBias p = prepare_random(s, random);
  std::vector<int64_t> ids;
  for (int64_t y = 0; y < 4; y += 2)
    for (int64_t x = 0; x < 6; x += 2) ids.push_back(y * 6 + x);
  std::vector<double> out(2 * 6 * 24);
  fill(p.plan, tensor(out.data(), {2, 6, 24}), {.queries = positions(tensor(ids.data(), {6}))});
  const auto w = numbers(p.weights.arrays[0].view());
  for (int64_t h = 0; h < 2; ++h)
    for (int64_t q = 0; q < 6; ++q)
      for (int64_t k = 0; k < 24; ++k) {
        const int64_t dy = std::abs(2 * (q / 3) - k / 6), dx = std::abs(2 * (q % 3) - k % 6);
        EXPECT_EQ(out[static_cast<size_t>((h * 6 + q) * 24 + k)],
                  w[static_cast<size_t>(h * 24 + dy * 6 + dx)]);
      }
}

TEST(Window, Sentences) {
  expect_message([] { WindowBias{.height = 0}.check(); },
                 "[window] expected height and width from 1 to 1024, got 0 and 7");
  expect_message([] { WindowBias{.width = 2000}.check(); },
                 "[window] expected height and width from 1 to 1024, got 7 and 2000");
  expect_message([] { prepare(WindowBias{}); }, "[window] expected 1 weight");
}

}  // namespace
}  // namespace posenc::window_test
