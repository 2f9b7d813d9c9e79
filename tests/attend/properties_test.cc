// attend_properties_test.cc: what holds for attention whatever the numbers are.
#include <gtest/gtest.h>

#include "tests/support/attention.h"
#include "tests/support/threads.h"

namespace posenc::properties_test {
namespace {

// One plan of every kind, for 6 heads of 24 features; gates go with the last.
std::vector<Plan> every_kind() {
  Random random(1);
  const Array buckets = make_array(DType::f64, {32, 6}), rows = make_array(DType::f64, {9, 24});
  randomize(buckets.view(), random), randomize(rows.view(), random);
  const Tensor t5 = buckets.view(), table = rows.view();
  return {{},
          prepare(Rope{.dim = 24, .layout = Layout::half}),
          prepare(Alibi{.heads = 6}),
          prepare(T5Bias{.heads = 6}, {.weights = {&t5, 1}}),
          prepare(Shaw{.dim = 24, .left = 4, .right = 4}, {.weights = {&table, 1}}),
          prepare(Cope{.dim = 24, .positions = 9}, {.weights = {&table, 1}}),
          prepare(Forgetting{})};
}

Array random_gates(int64_t keys) {
  Random random(2);
  Array out = make_array(DType::f32, {2, keys, 6});
  randomize(out.view(), random, -0.3, 0);
  return out;
}

// What reads distances only gives the same bits.
TEST(AttendProperties, DependsOnTheOffsetOnly) {
  const Array gates = random_gates(70);
  for (const Plan& e : every_kind()) {
    if (std::holds_alternative<RotaryPlan>(e)) continue;
    std::vector<double> first;
    for (const int64_t shift : {0, 1'000'000, -1'000'000}) {
      const Inputs x(DType::f32, {}, 3);
      x.attend(e, {.queries = range(shift + 33),
                   .keys = range(shift),
                   .causal = true,
                   .gates = gates.view()});
      if (shift == 0) first = numbers(x.out());
      EXPECT_EQ(numbers(x.out()), first) << e.index();
    }
  }
}

// Far tokens are as near to the truth as near ones, whose truth it is.
TEST(AttendProperties, RotaryDependsOnTheOffsetOnly) {
  const RotaryPlan plan = prepare(Rope{.dim = 24, .layout = Layout::half, .base = 500000});
  const TestPlaces queries(5), keys(0);
  for (const DType dtype : float_types)
    for (const int64_t shift : {0, 1'000'000, -1'000'000}) {
      const Inputs x(dtype, {.queries = 7, .keys = 12}, 3);
      x.attend(plan, {.queries = range(shift + 5), .keys = range(shift), .causal = true});
      const TurnedProducts near{plan, x.products(), compute_type(dtype), queries, keys};
      expect_attention(x.out(), x.v(), [&](int64_t row, int64_t head, int64_t i, int64_t j) {
        return j > i + 5 ? hidden_score : near(row, head, i, j);
      });
    }
}

// One query at the end of a cache is the last row of the full result.
TEST(AttendProperties, OneQueryIsTheLastRow) {
  const Array gates = random_gates(70);
  for (const Plan& e : every_kind()) {
    const Inputs all(DType::f32, {.queries = 70}, 4), one(DType::f32, {.queries = 1}, 4);
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t n = 0; n < 6 * 24; ++n)
        set(one.q(), row * 6 * 24 + n, get(all.q(), (row * 70 + 69) * 6 * 24 + n));
    for (int64_t n = 0; n < one.k().elements(); ++n) set(one.k(), n, get(all.k(), n));
    for (int64_t n = 0; n < one.v().elements(); ++n) set(one.v(), n, get(all.v(), n));
    all.attend(e, {.causal = true, .gates = gates.view()});
    one.attend(e, {.queries = range(69), .causal = true, .gates = gates.view()});
    const HeadNumbers last(one.out()), full(all.out());
    for (int64_t row = 0; row < 2; ++row)
      for (int64_t head = 0; head < 6; ++head)
        EXPECT_EQ(last.at(row, 0, head), full.at(row, 69, head)) << e.index();
  }
}

TEST(AttendProperties, GroupedHeadsAreRepeatedHeads) {
  for (const Plan& e : every_kind()) {
    const Array gates = random_gates(70);
    const Inputs grouped(DType::f32, {}, 5);
    grouped.attend(e, {.gates = gates.view()});
    QueriesKeysValues whole{grouped.q(), grouped.k(), grouped.v()};
    Array k = make_array(DType::f32, {2, 70, 6, 24}), v = make_array(DType::f32, {2, 70, 6, 20});
    for (const auto& [from, to] : {std::pair(whole.k, k.view()), std::pair(whole.v, v.view())})
      for (int64_t n = 0, dim = from.size(3); n < to.elements(); ++n)
        set(to, n, get(from, ((n / dim / 6) * 2 + n / dim % 6 / 3) * dim + n % dim));
    const Array out = make_array(DType::f32, {2, 37, 6, 20});
    attend(e, {grouped.q(), k.view(), v.view()}, out.view(), {.gates = gates.view()});
    EXPECT_EQ(numbers(out.view()), numbers(grouped.out())) << e.index();
  }
}

TEST(AttendProperties, ThreadsChangeNothing) {
  const Array gates = random_gates(300);
  for (const Plan& e : every_kind()) {
    std::vector<double> first;
    for (const int count : {1, 2, 5}) {
      const Threads use(count);
      const Inputs x(DType::f32, {.queries = 300, .keys = 300}, 6);
      x.attend(e, {.causal = true, .gates = gates.view()});
      if (count == 1) first = numbers(x.out());
      EXPECT_EQ(numbers(x.out()), first) << e.index();
    }
  }
}

TEST(AttendProperties, TheOutputMayBeTheQueries) {
  const Inputs x(DType::f32, {.value_dim = 24}, 7);
  x.attend({});
  attend({}, {x.q(), x.k(), x.v()}, x.q());
  EXPECT_EQ(numbers(x.q()), numbers(x.out()));
}

TEST(AttendProperties, KeysMayShareMemory) {  // an expanded head, stride 0
  const Inputs x(DType::f32, {.kv_heads = 1}, 8);
  Tensor k = x.k(), v = x.v();
  k.shape[2] = v.shape[2] = 6, k.stride[2] = v.stride[2] = 0;
  x.attend(prepare(Rope{.dim = 24, .layout = Layout::half}));
  const auto once = numbers(x.out());
  attend(prepare(Rope{.dim = 24, .layout = Layout::half}), {x.q(), k, v}, x.out());
  EXPECT_EQ(numbers(x.out()), once);
}

}  // namespace
}  // namespace posenc::properties_test
