// forms_test.cc: short forms of verbs, in place or with a scheme, give what the long ones give.
#include <gtest/gtest.h>

#include "posenc/posenc.h"
#include "tests/support/random.h"

namespace posenc::forms_test {
namespace {

struct Numbers {
  std::vector<float> list;
  explicit Numbers(size_t count, uint64_t seed = 1) : list(count) {
    Random random(seed);
    for (float& x : list) x = static_cast<float>(random.real());
  }
  Tensor as(std::initializer_list<int64_t> shape) { return tensor(list.data(), shape); }
};

TEST(Forms, Absolute) {
  const Sinusoidal scheme{.dim = 6};
  const Learned learned{.dim = 6, .rows = 20};
  Numbers table(120, 2);
  const Tensor weights[] = {table.as({20, 6})};
  const AbsolutePlan plan = prepare(scheme), rows = prepare(learned, {.weights = weights});
  Numbers x(30), out(30), other(30);
  add(plan, x.as({5, 6}), out.as({5, 6}), range(3));
  add(plan, other.as({5, 6}), range(3));
  EXPECT_EQ(other.list, out.list);
  Numbers by_scheme(30), by_plan(30);
  add(learned, by_scheme.as({5, 6}), range(4), {.weights = weights});
  add(rows, by_plan.as({5, 6}), range(4));
  EXPECT_EQ(by_scheme.list, by_plan.list);
  const int64_t ids[] = {1, 4, 0, 8, 2};
  Numbers embedding(54, 3);
  embed(scheme, tensor(ids, {5}), embedding.as({9, 6}), out.as({5, 6}),
        {.scale = 2, .at = range(7)});
  embed(plan, tensor(ids, {5}), embedding.as({9, 6}), other.as({5, 6}),
        {.scale = 2, .at = range(7)});
  EXPECT_EQ(other.list, out.list);
}

TEST(Forms, Rotary) {
  Rope rope{.dim = 6, .layout = Layout::interleaved};
  rope.scaling = DynamicNtk{2, 4};
  Numbers x(30), out(30), same(30);
  rotate(prepare(rope, {.length = 40}), {.k = x.as({5, 1, 6})}, {.k = out.as({5, 1, 6})}, range(3));
  rotate(rope, {.k = same.as({5, 1, 6})}, range(3), {.length = 40});
  EXPECT_EQ(same.list, out.list);
}

TEST(Forms, Scores) {
  const Alibi alibi{.heads = 2};
  const T5Bias t5{.heads = 2, .buckets = 6, .max_distance = 5};
  Numbers table(12, 2), x(40), out(40), same(40), both(40);
  const Tensor weights[] = {table.as({6, 2})};
  const ScoreOptions options{.queries = range(1), .scale = 0.5};
  add(prepare(alibi), x.as({2, 4, 5}), out.as({2, 4, 5}), options);
  add(prepare(alibi), same.as({2, 4, 5}), {.queries = range(1), .scale = 0.5});
  add(alibi, both.as({2, 4, 5}), options);
  EXPECT_EQ(same.list, out.list);
  EXPECT_EQ(both.list, out.list);
  fill(prepare(t5, {.weights = weights}), out.as({2, 4, 5}), options);
  fill(t5, same.as({2, 4, 5}), options, {.weights = weights});
  EXPECT_EQ(same.list, out.list);
}

TEST(Forms, ContentAndAttention) {
  const Shaw shaw{.dim = 6, .left = 2, .right = 2};
  Numbers table(30, 2), q(60, 3), k(60, 4), v(60, 5), x(50), out(50), same(50), both(50);
  const Tensor weights[] = {table.as({5, 6})};
  const ContentPlan plan = prepare(shaw, {.weights = weights});
  add(plan, {.q = q.as({5, 2, 6})}, x.as({2, 5, 5}), out.as({2, 5, 5}), {.scale = 0.5});
  add(plan, {.q = q.as({5, 2, 6})}, same.as({2, 5, 5}), {.scale = 0.5});
  add(shaw, {.q = q.as({5, 2, 6})}, both.as({2, 5, 5}), {.scale = 0.5}, {.weights = weights});
  EXPECT_EQ(same.list, out.list);
  EXPECT_EQ(both.list, out.list);
  Numbers a(60), b(60);
  const QueriesKeysValues in{q.as({5, 2, 6}), k.as({5, 2, 6}), v.as({5, 2, 6})};
  attend(plan, in, a.as({5, 2, 6}), {.causal = true});
  attend(prepare(Scheme(shaw), {.weights = weights}), in, b.as({5, 2, 6}), {.causal = true});
  EXPECT_EQ(a.list, b.list);
}

// The way absolute.h describes: first along each row of the grid, then along its columns.
TEST(Forms, ResizeOfAGrid) {
  constexpr int64_t height = 2, width = 3, dim = 2, wide = 6, high = 4;
  Numbers table(height * width * dim), rows(height * wide * dim), out(high * wide * dim);
  for (int64_t y = 0; y < height; ++y)
    resize(tensor(table.list.data() + y * width * dim, {width, dim}),
           tensor(rows.list.data() + y * wide * dim, {wide, dim}), Resize::linear);
  resize(rows.as({height, wide * dim}), out.as({high, wide * dim}), Resize::linear);
  // Patch (0, 1) of the new grid lies at (-1/4, 1/4) of the old one, clamped to (0, 1/4); patch
  // (1, 1) at (1/4, 1/4). Two sums of products of numbers below 1, each rounded to f32.
  const auto old = [&](int64_t y, int64_t x) {
    return table.list[static_cast<size_t>((y * width + x) * dim)];
  };
  const auto now = [&](int64_t y, int64_t x) {
    return out.list[static_cast<size_t>((y * wide + x) * dim)];
  };
  const double top = 0.75 * old(0, 0) + 0.25 * old(0, 1),
               below = 0.75 * old(1, 0) + 0.25 * old(1, 1);
  EXPECT_NEAR(now(0, 1), top, 0x1p-23);
  EXPECT_NEAR(now(1, 1), 0.75 * top + 0.25 * below, 0x1p-23);
}

}  // namespace
}  // namespace posenc::forms_test
