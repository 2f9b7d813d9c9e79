// walk_test.cc: how rotate walks over tokens and memory must not show in the result.
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::walk_test {
namespace {

Array random_array(DType dtype, const std::vector<int64_t>& shape, Random& random) {
  Array out = make_array(dtype, shape);
  randomize(out.view(), random);
  return out;
}

// The same numbers in another order of axes.
Tensor permuted(const Tensor& t, const std::vector<int>& order) {
  Tensor out = t;
  for (size_t i = 0; i < order.size(); ++i)
    out.shape[i] = t.size(order[i]), out.stride[i] = t.step(order[i]);
  return out;
}

TEST(RotaryWalk, AnyOrderOfAxes) {
  Random random(1);
  const RotaryPlan plan = prepare(Rope{.dim = 20, .layout = Layout::interleaved});
  for (const DType dtype : float_types) {
    const Array x = random_array(dtype, {2, 7, 3, 20}, random), usual = x;
    rotate(plan, {.q = usual.view()}, range(9));
    // [batch, heads, tokens, dim], [tokens, batch, heads, dim], [heads, dim, batch, tokens]
    for (const auto& [order, back] :
         std::vector<std::pair<std::vector<int>, std::vector<int>>>{{{0, 2, 1, 3}, {0, 2, 1, 3}},
                                                                    {{1, 0, 2, 3}, {1, 0, 2, 3}},
                                                                    {{2, 3, 0, 1}, {2, 3, 0, 1}}}) {
      const Tensor from = permuted(x.view(), order);
      const Array other = make_array(dtype, {from.shape.begin(), from.shape.begin() + 4});
      for (int64_t n = 0; n < from.elements(); ++n) set(other.view(), n, get(from, n));
      const Tensor as_usual = permuted(other.view(), back);
      rotate(plan, {.q = as_usual}, range(9));
      EXPECT_EQ(numbers(as_usual), numbers(usual.view()));
    }
  }
}

// Queries, keys and values side by side in one tensor, as a fused projection leaves them.
TEST(RotaryWalk, PartsOfAFusedTensor) {
  Random random(2);
  const RotaryPlan plan = prepare(Rope{.dim = 20, .layout = Layout::half});
  const Array fused = random_array(DType::bf16, {2, 9, 6 + 2 + 2, 20}, random), before = fused;
  const auto part = [](const Array& all, int64_t first, int64_t heads) {
    Tensor t = all.view();
    t.data = element(t, first * 20), t.shape[2] = heads;
    return t;
  };
  const QueriesKeys inside{part(fused, 0, 6), part(fused, 6, 2)};
  const QueriesKeys was{part(before, 0, 6), part(before, 6, 2)};
  rotate(plan, inside, range(3));
  expect_turned(plan, numbers(was.q), inside.q, true, TestPlaces(3));
  expect_turned(plan, numbers(was.k), inside.k, false, TestPlaces(3));
  EXPECT_EQ(numbers(part(fused, 8, 2)), numbers(part(before, 8, 2)));
}

TEST(RotaryWalk, OneOfTheTwoIsEnough) {
  Random random(3);
  const Rope rope{.dim = 24,
                  .layout = Layout::half,
                  .rotary_dim = 20,
                  .decay = XPos{},
                  .temperature = LogTemperature{.floor = 5}};
  const RotaryPlan plan = prepare(rope);
  for (const DType dtype : float_types) {
    const Array q = random_array(dtype, {2, 30, 5, 24}, random);
    const Array k = random_array(dtype, {2, 30, 2, 24}, random);
    const Array q_both = q, k_both = k, q_alone = q, k_alone = k;
    rotate(plan, {q_both.view(), k_both.view()}, range(11));
    rotate(plan, {.q = q_alone.view()}, range(11));
    rotate(plan, {.k = k_alone.view()}, range(11));
    EXPECT_TRUE(q_both.bytes == q_alone.bytes && k_both.bytes == k_alone.bytes);
    EXPECT_FALSE(q_both.bytes == q.bytes || k_both.bytes == k.bytes);
  }
}

TEST(RotaryWalk, SameBitsForAnyNumberOfThreads) {
  Random random(4);
  for (const Rope& rope :
       std::vector<Rope>{{.dim = 64, .layout = Layout::half},
                         {.dim = 64,
                         .layout = Layout::interleaved_in_half_out,
                         .rotary_dim = 34,
                         .temperature = LogTemperature{.floor = 7}},
                         {.dim = 64, .layout = Layout::interleaved, .decay = XPos{}}})
    for (const DType dtype : float_types)
      for (const TestPlaces& at : {TestPlaces(7), TestPlaces(DType::i64, {3, 300}, random, 0, 200)})
        for (const int64_t keep : {0, 250}) {
          const RotaryPlan plan = prepare(rope, {.keep = keep});
          const Array q = random_array(dtype, {3, 300, 3, 64}, random);
          const Array k = random_array(dtype, {3, 300, 1, 64}, random);
          std::vector<Bytes> once;
          for (const int count : {1, 2, 3}) {
            const Threads use(count);
            const Array a = q, b = k, da = q, db = k, ia = q, ib = k;
            rotate(plan, {a.view(), b.view()}, at.at());
            rotate_adjoint(plan, {q.view(), k.view()}, {da.view(), db.view()}, at.at());
            rotate_inverse(plan, {ia.view(), ib.view()}, {ia.view(), ib.view()}, at.at());
            const std::vector<Bytes> found{a.bytes,  b.bytes,  da.bytes,
                                           db.bytes, ia.bytes, ib.bytes};
            if (once.empty()) once = found;
            for (size_t i = 0; i < found.size(); ++i)
              EXPECT_TRUE(found[i] == once[i]) << options_text(rope) << count << " result " << i;
          }
        }
}

TEST(RotaryWalk, NoTokensNoHeadsOrNoBatch) {
  const RotaryPlan plan = prepare(Rope{.dim = 8, .layout = Layout::half, .rotary_dim = 6});
  for (const auto& shape : std::vector<std::vector<int64_t>>{
           {0, 2, 8}, {0, 5, 2, 8}, {2, 0, 2, 8}, {2, 5, 0, 8}, {0, 0, 0, 8}}) {
    Guarded x(DType::f32, shape);
    const Tensor nothing = tensor(nullptr, DType::f32, shape);
    for (const Tensor& t : {x.view(), nothing}) {
      rotate(plan, {t, t}), rotate_adjoint(plan, {t}, {t}), rotate_inverse(plan, {t}, {t});
      move(plan, range(), plan, range(7), t);
    }
    EXPECT_TRUE(x.intact());
  }
}

// One key head for the whole batch, read again and again.
TEST(RotaryWalk, InputsMayHaveStrideZero) {
  Random random(5);
  const RotaryPlan plan = prepare(Rope{.dim = 20, .layout = Layout::half});
  const Array k = random_array(DType::f32, {1, 9, 1, 20}, random);
  const Array wide = make_array(DType::f32, {3, 9, 4, 20}), out = wide;
  Tensor repeated = k.view();
  repeated.shape = {3, 9, 4, 20}, repeated.stride = {0, 20, 0, 1};
  for (int64_t n = 0; n < wide.view().elements(); ++n) set(wide.view(), n, get(repeated, n));
  rotate(plan, {.k = repeated}, {.k = out.view()}, range(2));
  rotate(plan, {.k = wide.view()}, range(2));
  EXPECT_EQ(numbers(out.view()), numbers(wide.view()));
}

// A plan for each layer; equal ones are one.
TEST(RotaryWalk, PlansOfLayers) {
  const Rope local{.dim = 8, .layout = Layout::half},
      global{.dim = 8, .layout = Layout::half, .base = 1e6};
  const std::optional<Rope> layers[] = {local, std::nullopt, global, local, std::nullopt, global};
  const auto plans = prepare_layers(layers, {.keep = 16});
  ASSERT_EQ(plans.size(), 6u);
  for (const size_t i : {size_t{1}, size_t{4}}) EXPECT_FALSE(plans[i]);
  EXPECT_EQ(&plans[0]->parts(), &plans[3]->parts());
  EXPECT_EQ(&plans[2]->parts(), &plans[5]->parts());
  EXPECT_NE(&plans[0]->parts(), &plans[2]->parts());
  EXPECT_EQ(plans[2]->scheme().base, 1e6);
}

// Layers that differ in one option, be it the last, have plans of their own.
TEST(RotaryWalk, PlansOfLayersThatDifferInOneOption) {
  const Rope plain{.dim = 8, .layout = Layout::half};
  std::vector<std::optional<Rope>> layers(9, plain);
  layers[1]->layout = Layout::interleaved, layers[2]->rotary_dim = 4;
  layers[3]->sign = Sign::negative, layers[4]->offset = 1;
  layers[5]->scaling = Linear{2}, layers[6]->decay = XPos{};
  layers[7]->temperature = LogTemperature{}, layers[8]->numerics = Numerics::torch_f32;
  const auto plans = prepare_layers(layers);
  for (size_t i = 0; i < plans.size(); ++i)
    for (size_t j = 0; j < i; ++j) EXPECT_NE(&plans[i]->parts(), &plans[j]->parts()) << i << j;
}

}  // namespace
}  // namespace posenc::walk_test
