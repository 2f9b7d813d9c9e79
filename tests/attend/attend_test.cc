// attend_test.cc: attention against the same written down in double precision.
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/attention.h"

namespace posenc::attend_test {
namespace {

TEST(Attend, PlainForEveryTypeAndPlacement) {
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements)
      for (const int64_t queries : {37, 3}) {  // few of them read keys and values where they lie
        const Inputs x(dtype, {.queries = queries}, 1, placement);
        x.attend({});
        expect_attention(x.out(), x.v(), x.products());
      }
}

TEST(Attend, CausalWithACache) {
  for (const DType dtype : float_types) {
    const Inputs x(dtype, {}, 2);
    x.attend({}, {.queries = range(33), .causal = true});
    const Products product = x.products();
    expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
      return j > i + 33 ? hidden_score : product(row, head, i, j);
    });
  }
}

// Some queries see no key at all and get zeros, which the reference gives them too.
TEST(Attend, CausalByPositionsInAnyOrder) {
  Random random(3);
  const Inputs x(DType::f32, {}, 3);
  for (const DType ids : {DType::i32, DType::i64, DType::f64}) {
    const TestPlaces queries(ids, {2, 37}, random, -20, 100), keys(ids, {70}, random, 0, 90);
    x.attend({}, {.queries = queries.at(), .keys = keys.at(), .causal = true});
    const Products product = x.products();
    int64_t blind = 0;
    expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
      const double query = queries.place(1, row, i)[0];
      blind += query < 0;
      return keys.place(1, row, j)[0] > query ? hidden_score : product(row, head, i, j);
    });
    EXPECT_GT(blind, 0);
  }
}

TEST(Attend, ScaleIsTheCallers) {
  const Inputs x(DType::f32, {}, 4);
  x.attend({}, {.scale = 0.7});
  expect_attention(x.out(), x.v(), Products{x.q(), x.k(), 0.7});
}

// Weights too small for a normal number may become 0, but only inside attend().
TEST(Attend, LeavesTheArithmeticOfItsCaller) {
  Inputs(DType::f32, {}, 6).attend(prepare(Alibi{.heads = 6}));
  volatile float least = std::numeric_limits<float>::min();
  EXPECT_GT(least / 2, 0);
}

TEST(Attend, NoKeysGiveZeros) {
  for (const DType dtype : float_types) {
    const Inputs x(dtype, {.keys = 0}, 5, Placement::spaced);
    for (const Plan& e : {Plan{}, Plan{prepare(Alibi{.heads = 6})}}) {
      x.attend(e, {.causal = true});
      for (const double y : numbers(x.out())) EXPECT_EQ(y, 0);
    }
  }
}

TEST(Attend, ANanReachesTheQueriesThatSeeIt) {
  const Inputs x(DType::f32, {}, 6);
  set(x.k(), 50 * 2 * 24, NAN);  // key 50 of the first row, its first head of two
  x.attend({}, {.queries = range(33), .causal = true});
  const HeadNumbers found(x.out());
  for (int64_t i = 0; i < 37; ++i)
    for (int64_t head = 0; head < 6; ++head)
      EXPECT_EQ(std::isnan(found.at(0, i, head)[0]), head < 3 && i + 33 >= 50);
}

TEST(Attend, RotaryForEveryType) {
  const AttendSizes small{.queries = 7, .keys = 12};
  for (const DType dtype : float_types)
    for (const Rope& rope :
         {Rope{.dim = 24, .layout = Layout::half},
          Rope{.dim = 24, .layout = Layout::interleaved, .rotary_dim = 8, .decay = XPos{}}}) {
      const RotaryPlan plan = prepare(rope);
      const Inputs x(dtype, small, 7, Placement::spaced);
      const TestPlaces queries(5), keys(0);
      x.attend(plan, {.queries = queries.at(), .causal = true});
      const TurnedProducts turned{plan, x.products(), compute_type(x.q().dtype), queries, keys};
      expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
        return j > i + 5 ? hidden_score : turned(row, head, i, j);
      });
    }
}

// With several axes the order of the text is the order of the mask.
TEST(Attend, RotaryWithSeveralAxes) {
  Random random(8);
  const Inputs x(DType::f32, {.queries = 7, .keys = 12}, 8);
  const Rope rope{.dim = 24, .layout = Layout::half, .axes = Chunked{.sections = {4, 4, 4}}};
  const RotaryPlan plan = prepare(rope);
  const TestPlaces queries(DType::i64, {3, 2, 7}, random, 0, 99),
      keys(DType::i64, {3, 1, 12}, random, 0, 99);
  x.attend(plan, {.queries = queries.at(), .keys = keys.at(), .causal = true});
  const TurnedProducts turned{plan, x.products(), compute_type(x.q().dtype), queries, keys};
  expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
    return j > i + 5 ? hidden_score : turned(row, head, i, j);
  });
}

// A range stands on every axis, and keeps that order where the others have several.
TEST(Attend, RangesBesideSeveralAxes) {
  Random random(8);
  const Rope rope{.dim = 24, .layout = Layout::half, .axes = Chunked{.sections = {4, 4, 4}}};
  const RotaryPlan plan = prepare(rope);
  std::vector<int64_t> numbers_of[2];
  for (int64_t axis = 0; axis < 3; ++axis) {
    for (int64_t i = 0; i < 7; ++i) numbers_of[0].push_back(60 + i);
    for (int64_t i = 0; i < 12; ++i) numbers_of[1].push_back(40 + i);
  }
  const Positions queries = positions(tensor(numbers_of[0].data(), {3, 1, 7}));
  const Positions keys = positions(tensor(numbers_of[1].data(), {3, 1, 12}));
  const TestPlaces others[] = {{DType::i64, {3, 2, 7}, random, 0, 99},
                               {DType::i64, {3, 1, 12}, random, 0, 99}};
  const auto attended = [&](const Positions& q, const Positions& k) {
    const Inputs x(DType::f32, {.queries = 7, .keys = 12}, 8);
    x.attend(plan, {.queries = q, .keys = k, .causal = true});
    return numbers(x.out());
  };
  EXPECT_EQ(attended(range(60), others[1].at()), attended(queries, others[1].at()));
  EXPECT_EQ(attended(others[0].at(), range(40)), attended(others[0].at(), keys));
}

TEST(Attend, SoftmaxFactorOnlyWhenAsked) {
  const Yarn yarn{.factor = 4, .original_max_position_embeddings = 64};
  Rope rope{.dim = 24, .layout = Layout::half, .scaling = yarn};
  std::get<Yarn>(rope.scaling).mscale_all_dim = 1;
  const RotaryPlan plan = prepare(rope);
  ASSERT_NE(plan.softmax_factor(), 1);
  const Inputs a(DType::f64, {.queries = 7, .keys = 12}, 9),
      b(DType::f64, {.queries = 7, .keys = 12}, 9);
  a.attend(plan, {.softmax_factor = true});
  b.attend(plan, {.scale = b.scale() * plan.softmax_factor()});
  EXPECT_EQ(numbers(a.out()), numbers(b.out()));
}

}  // namespace
}  // namespace posenc::attend_test
