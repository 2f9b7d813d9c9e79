// What add() promises for every content scheme: types, strides, positions, caches, threads.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/schemes.h"
#include "tests/support/threads.h"

namespace posenc {
namespace {

TEST(Content, EveryTypeAndPlacement) {
  Random random(81);
  const Shaw s{.dim = 6, .heads = 4, .left = 2, .right = 3};
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements) {
      const Stand t(s, dtype, {2, 3, 5, 7}, random, placement);
      expect_term(s, t, {.queries = range(2), .first_head = 1, .causal = true, .scale = 0.5});
      EXPECT_TRUE(t.out.intact());
      add(t.plan, t.inputs(), t.scores.view(), t.scores.view(),
          {.queries = range(2), .first_head = 1, .causal = true, .scale = 0.5});
      EXPECT_EQ(numbers(t.scores.view()), numbers(t.out.view()));
      EXPECT_TRUE(t.scores.intact());
    }
}

// More keys than fit beside 64 queries, and more queries than one thread takes at a time.
TEST(Content, LongCalls) {
  Random random(87);
  const Shaw s{.dim = 2, .left = 20000, .right = 3};
  expect_term(s, Stand(s, DType::f32, {1, 2, 9, 33'000}, random), {.queries = range(25'000)});
  const Deberta d{.dim = 2, .heads = 1, .buckets = 64, .max_distance = 3000};
  expect_term(d, Stand(d, DType::f32, {2, 1, 2050, 3}, random), {.scale = 0.5});
}

// Ids, one row of them for each batch row, far apart; where gates are summed, in order.
void randomize_keys(const Stand& t, const Tensor& ids, Random& random) {
  randomize_ids(ids, random, -20, 20);
  if (!t.plan.reads().gates) return;
  for (int64_t n = 0; n < ids.elements(); ++n)  // 1 or 2 apart, from -3 on
    set(ids, n, n % t.sizes.keys == 0 ? -3 : get(ids, n - 1) + 1 + static_cast<double>(n % 2));
}

void expect_at_ids(const Content& scheme, const Sizes& n, DType dtype, Random& random) {
  const Stand t(scheme, dtype, n, random);
  const Guarded queries(DType::i32, {n.rows, n.queries}, Placement::spaced);
  const Guarded keys(DType::i64, {n.rows, n.keys}, Placement::reversed);
  randomize_ids(queries.view(), random, -20, 20), randomize_keys(t, keys.view(), random);
  const ScoreOptions o{.queries = positions(queries.view()), .keys = positions(keys.view())};
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(), o);
  const auto key_at = [&](int64_t row, int64_t key) {
    return static_cast<int64_t>(get(keys.view(), row * n.keys + key));
  };
  for_every_score(n, [&](int64_t row, int64_t head, int64_t query, int64_t key) {
    At a{row, head, query, key, 0, 0, head};
    a.query_at = static_cast<int64_t>(get(queries.view(), row * n.queries + query));
    a.key_at = key_at(row, key);
    while (a.last_key + 1 < n.keys && key_at(row, a.last_key + 1) <= a.query_at) ++a.last_key;
    const Sum sum = any_term(scheme, t, a);
    const int64_t at = t.score(row, head, query, key);
    const double score = get(t.scores.view(), at);
    EXPECT_NEAR(get(t.out.view(), at), score + sum.value, allowed(dtype, sum, score));
  });
}

TEST(Content, PositionsThatAreIds) {
  Random random(82);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    for (const DType dtype : float_types) expect_at_ids(scheme, {2, 3, 9, 11}, dtype, random);
  }
}

// Some queries of q and of the scores, from the end.
Tensor last_of(Tensor t, int axis, int64_t count) {
  const auto i = static_cast<size_t>(t.rank + axis);
  t.data = static_cast<char*>(t.data) + (t.shape[i] - count) * t.stride[i] * size_of(t.dtype);
  t.shape[i] = count;
  return t;
}

TEST(Content, OneQueryAtTheEndOfACacheIsTheLastRow) {
  Random random(83);
  for (const DType dtype : {DType::f32, DType::f64})
    for (const Content& scheme : small_schemes()) {
      SCOPED_TRACE(std::string(alternative_name(scheme)));
      const Stand t(scheme, dtype, {2, 3, 90, 90}, random);
      add(t.plan, t.inputs(), t.scores.view(), t.out.view(), {.causal = true, .scale = 0.3});
      const Guarded last(dtype, {2, 3, 1, 90});
      add(t.plan, {last_of(t.q.view(), -3, 1), t.k.view(), t.gates.view()},
          last_of(t.scores.view(), -2, 1), last.view(),
          {.queries = range(89), .causal = true, .scale = 0.3});
      EXPECT_EQ(numbers(last.view()), numbers(last_of(t.out.view(), -2, 1)));
    }
}

// Heads of a part of the model are those heads of the whole.
TEST(Content, PartsOfTheHeads) {
  Random random(84);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const Stand t(scheme, DType::f32, {2, 3, 20, 20}, random);
    add(t.plan, t.inputs(), t.scores.view(), t.out.view());
    const Guarded part(DType::f32, {2, 2, 20, 20});
    add(t.plan,
        {last_of(t.q.view(), -2, 2), last_of(t.k.view(), -2, 2), last_of(t.gates.view(), -1, 2)},
        last_of(t.scores.view(), -3, 2), part.view(), {.first_head = 1});
    EXPECT_EQ(numbers(part.view()), numbers(last_of(t.out.view(), -3, 2)));
  }
}

TEST(Content, ThreadsChangeNothing) {
  Random random(85);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const Stand t(scheme, DType::f32, {2, 3, 130, 150}, random);
    const Threads one(1);
    add(t.plan, t.inputs(), t.scores.view(), t.out.view());
    const auto expected = t.out.bytes();
    for (const int count : {2, 5}) {
      const Threads more(count);
      add(t.plan, t.inputs(), t.scores.view(), t.out.view());
      EXPECT_EQ(t.out.bytes(), expected);
    }
  }
}

TEST(Content, ScoresWithoutQueriesOrKeys) {
  Random random(86);
  for (const Content& scheme : small_schemes())
    for (const Sizes& n : {Sizes{2, 3, 0, 4}, {2, 3, 4, 0}, {0, 3, 4, 4}}) {
      const Stand t(scheme, DType::f32, n, random);
      add(t.plan, t.inputs(), t.scores.view(), t.out.view());
      EXPECT_TRUE(t.out.intact());
    }
}

}  // namespace
}  // namespace posenc
