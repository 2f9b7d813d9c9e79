// move_plans_test.cc: which plans keys can be moved between, and what must not show.
#include "tests/support/message.h"
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::move_plans_test {
namespace {

// Heads with frequencies of their own: there and back.
TEST(MovePlans, LearnedFrequencies) {
  Random random(7);
  const Rope rope{.dim = 12, .layout = Layout::half, .frequencies = LearnedFrequencies{4, 2}};
  const Weights w = random_weights(rope.weights(), random),
                v = random_weights(rope.weights(), random);
  const RotaryPlan one = prepare(rope, {.weights = w.views()}),
                   two = prepare(rope, {.weights = v.views()});
  const TestPlaces was(DType::f64, {2, 2, 9}, random, 0, 99),
      is(DType::i64, {2, 1, 9}, random, 0, 99);
  const Array keys = make_array(DType::f64, {2, 9, 4, 12}), moved = keys;
  randomize(keys.view(), random);
  rotate(one, {.k = keys.view()}, {.k = moved.view()}, was.at());
  rotate(two, {.k = keys.view()}, is.at());
  move(one, was.at(), two, is.at(), moved.view());
  for (int64_t n = 0; n < keys.view().elements(); ++n)  // three turns of a pair below sqrt 2
    ASSERT_NEAR(get(moved.view(), n), get(keys.view(), n), 3 * 1.42 * 7.2 * 0x1p-53);
}

// A plan keeps the turn from the plan that keys came from last; others come from elsewhere.
TEST(MovePlans, FromOnePlanAfterAnother) {
  Random random(9);
  const Rope rope{.dim = 16, .layout = Layout::half};
  Rope other = rope;
  other.base = 500;
  const RotaryPlan one = prepare(rope), two = prepare(other), to = prepare(rope);
  const Array keys = make_array(DType::f64, {9, 2, 16}), truth = keys;
  randomize(keys.view(), random);
  rotate(to, {.k = keys.view()}, {.k = truth.view()}, range(40));
  for (const RotaryPlan& from : {one, two, one, two}) {
    const Array moved = keys;
    rotate(from, {.k = moved.view()}, range(7));
    move(from, range(7), to, range(40), moved.view());
    for (int64_t n = 0; n < keys.view().elements(); ++n)  // three turns of a pair below sqrt 2
      ASSERT_NEAR(get(moved.view(), n), get(truth.view(), n), 3 * 1.42 * 7.2 * 0x1p-53);
  }
}

TEST(MovePlans, SameBitsForAnyNumberOfThreads) {
  Random random(8);
  const RotaryPlan plan = prepare(Rope{.dim = 64, .layout = Layout::half});
  const TestPlaces is(DType::i64, {3, 500}, random, 0, 9999);
  const Array keys = make_array(DType::bf16, {3, 500, 8, 64});
  randomize(keys.view(), random);
  std::vector<Bytes> results;
  for (const int count : {1, 2, 3}) {
    const Threads use(count);
    const Array moved = keys;
    move(plan, range(5), plan, is.at(), moved.view());
    results.push_back(moved.bytes);
  }
  EXPECT_TRUE(results[0] == results[1] && results[0] == results[2]);
}

Rope rope_in(Layout layout) { return {.dim = 20, .layout = layout, .rotary_dim = 14}; }

TEST(MovePlans, PlansThatDoNotFit) {
  const Array keys = make_array(DType::f32, {5, 2, 20});
  const Bytes before = keys.bytes;
  const auto say = [&](const Rope& from, const Rope& to) {
    return message([&] { move(prepare(from), range(), prepare(to), range(1), keys.view()); });
  };
  const Rope half = rope_in(Layout::half);
  Rope shorter = half, moved = half, other = half, negative = half;
  shorter.rotary_dim = 12, moved.rotary_offset = 2, negative.sign = Sign::negative;
  other.numerics = Numerics::torch_f32;
  for (const Rope& bad : {shorter, moved, negative, rope_in(Layout::interleaved)})
    EXPECT_EQ(say(half, bad),
              "[move] expected plans that rotate the same features of the same heads in the same "
              "layout, got others");
  EXPECT_EQ(say(half, other),
            "[move] expected plans of the same numerics, got exact and torch-f32");
  EXPECT_EQ(say(half, half), "no error");
  EXPECT_EQ(keys.bytes, before);
}

}  // namespace
}  // namespace posenc::move_plans_test
