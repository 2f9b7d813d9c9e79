// verbs_test.cc: rotate against the plain matrix of every head.
#include "tests/support/every_target.h"
#include "tests/support/rotation.h"

namespace posenc::verbs_test {
namespace {

struct Case {
  std::vector<int64_t> batch{2};
  int64_t tokens = 5, q_heads = 6, k_heads = 2;
  Placement in = Placement::dense, out = Placement::dense;

  std::vector<int64_t> shape(int64_t heads, int64_t dim) const {
    auto s = batch;
    s.insert(s.end(), {tokens, heads, dim});
    return s;
  }
};

// One change at a time around the first.
const Case cases[] = {{},
                      {.batch = {}},
                      {.batch = {1}, .tokens = 1, .q_heads = 1, .k_heads = 1},
                      {.batch = {3, 2}, .q_heads = 1, .k_heads = 3},
                      {.tokens = 17},
                      {.batch = {}, .tokens = 67},  // past a block of rows
                      {.batch = {}, .tokens = 530, .q_heads = 2, .k_heads = 1},  // past a run
                      {.q_heads = 7, .k_heads = 7},
                      {.in = Placement::padded, .out = Placement::padded},
                      {.in = Placement::spaced},
                      {.out = Placement::spaced},
                      {.in = Placement::swapped, .out = Placement::reversed},
                      {.batch = {2, 2}, .in = Placement::reversed, .out = Placement::swapped}};

// Rotates q and k apart from the input, then in place.
void expect_rotate(const RotaryPlan& plan, const TestPlaces& at, const Case& c, DType dtype) {
  Random random(3);
  const int64_t dim = plan.scheme().dim;
  Guarded q(dtype, c.shape(c.q_heads, dim), c.in), k(dtype, c.shape(c.k_heads, dim), c.in);
  Guarded q_out(dtype, c.shape(c.q_heads, dim), c.out),
      k_out(dtype, c.shape(c.k_heads, dim), c.out);
  randomize(q.view(), random, -4, 4), randomize(k.view(), random, -4, 4);
  const auto q_in = numbers(q.view()), k_in = numbers(k.view());
  rotate(plan, {q.view(), k.view()}, {q_out.view(), k_out.view()}, at.at());
  expect_turned(plan, q_in, q_out.view(), true, at);
  expect_turned(plan, k_in, k_out.view(), false, at);
  EXPECT_EQ(numbers(q.view()), q_in);
  EXPECT_EQ(numbers(k.view()), k_in);
  rotate(plan, {q.view(), k.view()}, at.at());
  EXPECT_EQ(numbers(q.view()), numbers(q_out.view()));
  EXPECT_EQ(numbers(k.view()), numbers(k_out.view()));
  for (const Guarded* g : {&q, &k, &q_out, &k_out}) EXPECT_TRUE(g->intact());
}

TEST(Rotate, AnyShapeAndPlacementInEveryType) {
  for_every_target([] {
    for (const Layout layout : all_layouts)
      for (const Case& c : cases)
        for (DType dtype : float_types)
          expect_rotate(prepare(Rope{.dim = 22, .layout = layout}), TestPlaces(100), c, dtype);
  });
}

// Sizes of heads in use, each with its vector steps and what they leave over.
TEST(Rotate, AnySizeOfHeads) {
  for_every_target([] {
    for (const Layout layout : all_layouts)
      for (const int64_t dim : {2, 4, 6, 34, 64, 96, 128, 254})
        for (DType dtype : float_types)
          expect_rotate(prepare(Rope{.dim = dim, .layout = layout}), TestPlaces(7),
                        {.batch = {}, .tokens = 2, .q_heads = 3, .k_heads = 1}, dtype);
  });
}

TEST(Rotate, WhatTurnsAndWhatPasses) {
  using R = Rope;
  const Yarn yarn{.factor = 40};
  const LogTemperature warm{.scale = 0.3, .floor = 4};
  for (const Layout l : all_layouts)
    for (const R& rope : std::vector<R>{
             {.dim = 24, .layout = l, .rotary_dim = 10},
             {.dim = 24, .layout = l, .rotary_dim = 10, .rotary_offset = -10},
             {.dim = 24, .layout = l, .rotary_dim = 10, .rotary_offset = 4},
             {.dim = 25, .layout = l, .rotary_dim = 10, .rotary_offset = -13},
             {.dim = 20, .layout = l, .rotary_heads = 2},
             {.dim = 20, .layout = l, .rotary_heads = 1, .first_head = 1},
             {.dim = 20, .layout = l, .first_head = -1},
             {.dim = 20, .layout = l, .rotary_dim = 12, .rotary_heads = 1, .first_head = -2},
             {.dim = 24, .layout = l, .blocks = 2},
             {.dim = 24, .layout = l, .rotary_dim = 18, .rotary_offset = 2, .blocks = 3},
             {.dim = 20, .layout = l, .sign = Sign::negative},
             {.dim = 20, .layout = l, .offset = -77},
             {.dim = 20, .layout = l, .scaling = yarn},
             {.dim = 24, .layout = l, .rotary_dim = 10, .decay = XPos{.center = 8}},
             {.dim = 20, .layout = l, .temperature = warm},
             {.dim = 24, .layout = l, .rotary_dim = 10, .rotary_heads = 1, .temperature = warm},
             {.dim = 20, .layout = l, .scaling = yarn, .decay = XPos{}, .temperature = warm},
             {.dim = 20, .layout = l, .rotary_dim = 0, .temperature = warm},
             {.dim = 20, .layout = l, .rotary_dim = 0}})
      for (DType dtype : float_types) {
        SCOPED_TRACE(options_text(rope));
        const RotaryPlan plan = prepare(rope);
        expect_rotate(plan, TestPlaces(100), {.tokens = 19}, dtype);
        expect_rotate(plan, TestPlaces(100), {.in = Placement::spaced, .out = Placement::swapped},
                      dtype);
      }
}

TEST(Rotate, AnyPositions) {
  Random random(4);
  const RotaryPlan plan = prepare(Rope{.dim = 20, .layout = Layout::half});
  const Case c{.batch = {2, 3}, .tokens = 21, .q_heads = 3};
  for (DType dtype : float_types) {
    for (int64_t first : {int64_t{0}, int64_t{-10}, (int64_t{1} << 31) - 5, int64_t{1} << 52})
      expect_rotate(plan, TestPlaces(first), c, dtype);
    for (DType ids : {DType::i32, DType::i64, DType::f64})
      for (const auto& shape :
           std::vector<std::vector<int64_t>>{{21}, {6, 21}, {1, 21}, {1, 6, 21}, {1, 1, 21}})
        expect_rotate(plan, TestPlaces(ids, shape, random, -1000, 1'000'000), c, dtype);
    for (Placement placement : all_placements)
      expect_rotate(plan, TestPlaces(DType::i64, {6, 21}, random, 0, 99, placement), c, dtype);
  }
}

TEST(Rotate, SeveralAxesAndHeadsOfTheirOwn) {
  Random random(5);
  using R = Rope;
  for (const R& rope : std::vector<R>{
           {.dim = 22, .layout = Layout::half, .axes = Chunked{{5, 3, 3}}},
           {.dim = 22, .layout = Layout::interleaved, .axes = Alternating{{5, 3, 3}}},
           {.dim = 24, .layout = Layout::half, .blocks = 2, .axes = Restart{{6, 6}}},
           {.dim = 12, .layout = Layout::interleaved, .frequencies = LearnedFrequencies{1, 2}},
           {.dim = 12, .layout = Layout::half, .frequencies = LearnedFrequencies{6, 3}},
           {.dim = 14,
           .layout = Layout::interleaved,
           .rotary_dim = 6,
           .rotary_heads = 2,
           .first_head = -2,
           .frequencies = LearnedFrequencies{2, 2},
           .temperature = LogTemperature{}}}) {
    SCOPED_TRACE(options_text(rope));
    const Weights w = random_weights(rope.weights(), random);
    const RotaryPlan plan = prepare(rope, {.weights = w.views()});
    const Case c{.tokens = 21, .q_heads = 6, .k_heads = 6};
    for (DType dtype : float_types)
      for (const TestPlaces& at :
           {TestPlaces(3), TestPlaces(DType::i32, {rope.axis_count(), 2, 21}, random, 0, 99),
            TestPlaces(DType::f64, {rope.axis_count(), 1, 21}, random, 0, 99)})
        expect_rotate(plan, at, c, dtype);
  }
}

// Ids of sequences that were packed one behind the other, and such that jump.
TEST(Rotate, PackedSequencesAndKeptRows) {
  Random random(6);
  for (const int64_t keep : {0, 50, 1000})
    for (const Layout layout : all_layouts) {
      const RotaryPlan plan = prepare(Rope{.dim = 20, .layout = layout}, {.keep = keep});
      const Case c{.tokens = 90, .q_heads = 3, .k_heads = 1};
      for (DType ids : {DType::i32, DType::i64, DType::f64}) {
        TestPlaces at(ids, {90}, random, 0, 900);
        for (int64_t t = 0; t < 80; ++t)
          set(at.at().ids, t, static_cast<double>(t < 33 ? t : t < 37 ? t - 33 : t - 20));
        for (DType dtype : float_types) expect_rotate(plan, at, c, dtype);
      }
      for (const int64_t first : {0, 5, 40, 49, 999, -20})
        for (DType dtype : float_types) expect_rotate(plan, TestPlaces(first), c, dtype);
    }
}

// Rows are kept for places that are the same on every axis, and for those alone.
TEST(Rotate, KeptRowsWithSeveralAxes) {
  Random random(7);
  const Rope rope{.dim = 20, .layout = Layout::half, .axes = Chunked{{4, 3, 3}}};
  const RotaryPlan plan = prepare(rope, {.keep = 300});
  const Case c{.tokens = 40, .q_heads = 2, .k_heads = 1};
  const auto run = [&](const std::vector<double>& first) {
    TestPlaces at(DType::i64, {3, 1, 40}, random, 0, 9);
    for (int64_t n = 0; n < 3 * 40; ++n)
      set(at.at().ids, n, first[static_cast<size_t>(n / 40)] + static_cast<double>(n % 40));
    return at;
  };
  for (const std::vector<double>& first : std::vector<std::vector<double>>{
           {7, 7, 7}, {7, 9, 7}, {7, 7, 100}, {260, 260, 260}, {261, 261, 261}})
    for (DType dtype : float_types) expect_rotate(plan, run(first), c, dtype);
  TestPlaces jumps = run({7, 7, 7});
  set(jumps.at().ids, 2 * 40 + 30, 250);
  expect_rotate(plan, jumps, c, DType::f32);
}

}  // namespace
}  // namespace posenc::verbs_test
