// What add() promises for every content scheme: types, strides, positions, caches, threads.
#include <gtest/gtest.h>

#include "tests/content/formulas.h"
#include "tests/content/schemes.h"
#include "tests/support/threads.h"

namespace posenc::verbs_test {
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

void expect_at(const Content& scheme, DType dtype, const TestPlaces& queries,
               const TestPlaces& keys, Random& random) {
  const Sizes n{2, 3, 9, 11};
  const Stand t(scheme, dtype, n, random);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(),
      {.queries = queries.at(), .keys = keys.at()});
  const auto at = [](const TestPlaces& p, int64_t row, int64_t token) {
    return static_cast<int64_t>(p.place(1, row, token)[0]);
  };
  for_every_score(n, [&](int64_t row, int64_t head, int64_t query, int64_t key) {
    At a{row, head, query, key, at(queries, row, query), at(keys, row, key), head};
    while (a.last_key + 1 < n.keys && at(keys, row, a.last_key + 1) <= a.query_at) ++a.last_key;
    a.keys_before = 0;
    while (a.keys_before < n.keys && at(keys, row, a.keys_before) < a.query_at) ++a.keys_before;
    const Sum sum = any_term(scheme, t, a);
    const int64_t place = t.score(row, head, query, key);
    const double score = get(t.scores.view(), place);
    EXPECT_NEAR(get(t.out.view(), place), score + sum.value, allowed(dtype, sum, score));
  });
}

// Ids beside ranges, one row of them for each batch row, far apart; where gates are summed, keys
// are in order.
TEST(Content, PositionsThatAreIds) {
  Random random(82);
  const TestPlaces queries(DType::i32, {2, 9}, random, -20, 20, Placement::spaced);
  const TestPlaces some(DType::i64, {2, 11}, random, -20, 20, Placement::reversed);
  const TestPlaces rising = rising_keys(2, 11);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const TestPlaces& keys = sums_keys(scheme) ? rising : some;
    for (const DType dtype : float_types) expect_at(scheme, dtype, queries, keys, random);
    expect_at(scheme, DType::f64, TestPlaces(3), keys, random);
    expect_at(scheme, DType::f64, queries, TestPlaces(-3), random);
  }
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
}  // namespace posenc::verbs_test
