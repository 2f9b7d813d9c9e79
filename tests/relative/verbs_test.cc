// verbs_test.cc: fill and add against the bias of every pair.
#include "tests/relative/cases.h"
#include "tests/support/every_target.h"
#include "tests/support/threads.h"

namespace posenc::verbs_test {
namespace {

// fill, add apart from the scores, add in place.
void expect_verbs(const PreparedBias& p, const ScoreCase& c, const ScoreShape& shape, DType dtype) {
  Random random(3);
  Guarded x(dtype, shape.sizes(), shape.in), out(dtype, shape.sizes(), shape.out);
  randomize(x.view(), random, -4, 4);
  const auto before = numbers(x.view());
  add(p.plan, x.view(), out.view(), c.options());
  expect_scores(p, c, before, out.view());
  ASSERT_EQ(numbers(x.view()), before);
  add(p.plan, x.view(), x.view(), c.options());
  ASSERT_EQ(numbers(x.view()), numbers(out.view()));
  fill(p.plan, out.view(), c.options());
  expect_scores(p, c, std::vector<double>(before.size()), out.view());
  ASSERT_TRUE(x.intact() && out.intact());
}

template <class Body>
void for_every_bias(const Body& body) {
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    SCOPED_TRACE(p.text());
    body(p);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(Scores, AnyShapeAndPlacementInEveryType) {
  const ScoreShape shapes[] = {
      {},
      {.batch = {}},
      {.batch = {3, 2}, .queries = 1},
      {.batch = {}, .queries = 9, .keys = 1},
      {.heads = 1},
      {.in = Placement::padded, .out = Placement::padded},
      {.in = Placement::spaced},
      {.out = Placement::spaced},
      {.in = Placement::swapped, .out = Placement::reversed},
      {.batch = {2, 2}, .in = Placement::reversed, .out = Placement::swapped}};
  for_every_target([&] {
    for_every_bias([&](const PreparedBias& p) {
      for (const ScoreShape& shape : shapes)
        for (DType dtype : float_types) expect_verbs(p, {}, shape, dtype);
    });
  });
}

TEST(Scores, ManyQueriesAndKeys) {  // past a block of queries
  for_every_bias([](const PreparedBias& p) {
    if (p.is_window()) return;
    for (const bool causal : {false, true})
      for (DType dtype : float_types)
        expect_verbs(p, {.queries = TestPlaces(-20), .causal = causal},
                     {.batch = {}, .heads = 2, .queries = 131, .keys = 67}, dtype);
  });
}

TEST(Scores, HeadsOfATensorParallelShard) {
  for_every_bias([](const PreparedBias& p) {
    expect_verbs(p, {.first_head = 4}, {.heads = 2}, DType::f32);
    expect_verbs(p, {.first_head = 5}, {.heads = 1}, DType::bf16);
  });
}

TEST(Scores, CausalAndScaled) {
  for_every_bias([](const PreparedBias& p) {
    for (const bool causal : {false, true})
      for (const ScaleOn on : {ScaleOn::scores, ScaleOn::sum})
        for (DType dtype : float_types)
          for (Placement placement : {Placement::dense, Placement::padded, Placement::swapped})
            expect_verbs(p,
                         {.queries = TestPlaces(4), .causal = causal, .scale = 0.3, .scale_on = on},
                         {.queries = 7, .in = placement, .out = placement}, dtype);
  });
}

TEST(Scores, AnyPositions) {
  Random random(4);
  for_every_bias([&](const PreparedBias& p) {
    const int64_t high = p.is_window() ? window_tokens - 1 : 1000, low = p.is_window() ? 0 : -1000;
    for (DType ids : {DType::i32, DType::i64, DType::f64}) {
      if (ids == DType::f64 && p.whole()) continue;
      for (const std::vector<int64_t>& rows : {std::vector<int64_t>{}, {1}, {4}, {1, 4}})
        for (const bool causal : {false, true}) {
          auto q = rows, k = rows;
          q.push_back(5), k.push_back(9);
          const ScoreCase c{.queries = TestPlaces(ids, q, random, low, high),
                            .keys = TestPlaces(ids, k, random, low, high, Placement::spaced),
                            .causal = causal};
          for (DType dtype : {DType::f64, DType::bf16})
            expect_verbs(p, c, {.batch = {2, 2}}, dtype);
          expect_verbs(p, {.queries = c.queries, .causal = causal}, {.batch = {4}}, DType::f32);
          expect_verbs(p, {.keys = c.keys, .causal = causal}, {.batch = {4}}, DType::f32);
        }
    }
  });
}

// Two sequences padded on the left by 3 and 0 tokens: their first token stands at 0.
TEST(Scores, LeftPadding) {
  std::vector<int32_t> ids;
  for (int32_t row = 0; row < 2; ++row)
    for (int32_t t = 0; t < 9; ++t) ids.push_back(std::max(t - (row == 0 ? 3 : 0), 0));
  for_every_bias([&](const PreparedBias& p) {
    std::vector<double> padded(case_heads * 2 * 81), alone(case_heads * 36);
    const Positions at = positions(tensor(ids.data(), {2, 9}));
    fill(p.plan, tensor(padded.data(), {2, case_heads, 9, 9}), {.queries = at, .keys = at});
    fill(p.plan, tensor(alone.data(), {case_heads, 6, 6}));
    for (size_t h = 0; h < case_heads; ++h)
      for (size_t q = 0; q < 6; ++q)
        for (size_t k = 0; k < 6; ++k)
          ASSERT_EQ(padded[(h * 9 + q + 3) * 9 + k + 3], alone[(h * 6 + q) * 6 + k]);
  });
}

TEST(Scores, FarApart) {  // too far for a line, up to the limit of positions
  Random random(5);
  for_every_bias([&](const PreparedBias& p) {
    if (p.is_window()) return;
    for (const int64_t reach : {int64_t{1} << 20, int64_t{1} << 52})
      expect_verbs(p,
                   {.queries = TestPlaces(DType::i64, {5}, random, -reach, reach),
                    .keys = TestPlaces(DType::i64, {9}, random, -reach, reach)},
                   {}, DType::f64);
  });
}

TEST(Scores, ThreadsChangeNothing) {
  for_every_bias([](const PreparedBias& p) {
    const int64_t keys = 15, rows = 60;  // enough bytes for several threads
    const int64_t n = rows * case_heads * 15 * keys;
    std::vector<float> one(static_cast<size_t>(n), 1), many(one);
    const std::vector<int64_t> shape{rows, case_heads, 15, keys};
    {
      const Threads single(1);
      add(p.plan, tensor(one.data(), shape), tensor(one.data(), shape));
    }
    const Threads several(4);
    add(p.plan, tensor(many.data(), shape), tensor(many.data(), shape));
    EXPECT_EQ(one, many);
  });
}

TEST(Scores, NothingToDo) {
  Random random(6);
  const PreparedBias p = prepare_random(Alibi{}, random);
  for (const std::vector<int64_t>& shape :
       {std::vector<int64_t>{0, 8, 3, 3}, {8, 0, 3}, {8, 3, 0}, {0, 3, 3}}) {
    Guarded x(DType::f32, shape);
    add(p.plan, x.view(), x.view(), {.first_head = 0});
    fill(p.plan, x.view(), {.first_head = 0});
    EXPECT_TRUE(x.intact());
  }
}

}  // namespace
}  // namespace posenc::verbs_test
