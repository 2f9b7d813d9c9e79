// learned_test.cc: a trained table, written again as the few loops it is.
#include <gtest/gtest.h>

#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/threads.h"

namespace posenc::learned_test {
namespace {

// row(p) = scale * gate(alpha) * table[p + offset]
double expected(const Learned& s, const Weights& w, int64_t position, int64_t column) {
  double alpha = s.learned_scale ? get(w.arrays[1].view(), 0) : 1;
  if (s.gate == Gate::tanh) alpha = std::tanh(alpha);
  if (s.gate == Gate::rest) alpha = 1 - std::tanh(alpha);
  return s.scale * alpha * get(w.arrays[0].view(), (position + s.offset) * s.dim + column);
}

// Weights and rows may have different types: the product is made in f32 unless one is f64.
double row_tolerance(DType weights, DType dtype, double truth) {
  const bool wide = weights == DType::f64 || dtype == DType::f64;
  const DType inside = wide ? DType::f64 : DType::f32;
  // Two roundings of the factor (scale * alpha, then to the type) and one of the product, each at
  // most 2^-digits of the result, which is two of its half ulps.
  double error = 3 * 2 * half_ulp(inside, truth);
  for (DType step : {compute_type(dtype), dtype}) error += half_ulp(step, std::abs(truth) + error);
  return error;
}

TEST(Learned, GathersRows) {
  Random random(1);
  const Learned plain{.dim = 5, .rows = 7}, shifted{.dim = 5, .rows = 9, .offset = 2};
  const Learned scaled{.dim = 70, .rows = 9, .offset = -1, .scale = -1.5, .learned_scale = true};
  Learned gated = scaled, rest = scaled;
  gated.gate = Gate::tanh, rest.gate = Gate::rest;
  for (const Learned& s : {plain, shifted, scaled, gated, rest})
    for (DType weights : float_types)
      for (DType dtype : float_types) {
        const auto [w, plan] = prepare_random(s, random, weights);
        const TestPlaces at(DType::i32, {2, 11}, random, -s.offset, s.rows - 1 - s.offset);
        Guarded out(dtype, {2, 11, s.dim}, Placement::padded);
        fill(plan, out.view(), at.at());
        ASSERT_TRUE(out.intact());
        for (int64_t n = 0; n < out.view().elements(); ++n) {
          const auto p = static_cast<int64_t>(at.place(1, n / s.dim / 11, n / s.dim % 11)[0]);
          const double truth = expected(s, w, p, n % s.dim);
          ASSERT_NEAR(get(out.view(), n), truth, row_tolerance(weights, dtype, truth));
        }
      }
}

TEST(Learned, CopiesRowsOfItsOwnTypeExactly) {
  Random random(2);
  for (DType dtype : float_types) {
    const auto [w, plan] = prepare_random(Learned{.dim = 33, .rows = 20}, random, dtype);
    const Array out = make_array(dtype, {20, 33});
    fill(plan, out.view());
    EXPECT_EQ(out.bytes, w.arrays[0].bytes) << to_string(dtype);
  }
}

TEST(Learned, ReadsATableOfAnyStrides) {
  Random random(3);
  for (Placement placement : all_placements) {
    Guarded table(DType::f32, {6, 70}, placement);
    randomize(table.view(), random);
    const auto plan =
        prepare(Learned{.dim = 70, .rows = 6}, {.weights = std::span(&table.view(), 1)});
    std::vector<float> out(4 * 70);
    fill(plan, tensor(out.data(), {4, 70}), range(2));
    for (size_t n = 0; n < out.size(); ++n)
      ASSERT_EQ(out[n], get(table.view(), 2 * 70 + static_cast<int64_t>(n)));
  }
}

TEST(Learned, SpeaksUpOutsideTheTable) {
  Random random(4);
  const Learned s{.dim = 3, .rows = 10, .offset = 2};
  const Prepared prepared = prepare_random(s, random);
  const AbsolutePlan& plan = prepared.plan;
  Guarded out(DType::f32, {4, 3});
  const auto before = out.bytes();
  const auto expect = [&](const Positions& at, const char* part) {
    expect_message([&] { fill(plan, out.view(), at); }, part);
    expect_message([&] { add(plan, out.view(), out.view(), at); }, part);
    EXPECT_EQ(out.bytes(), before);
  };
  const int32_t high[]{0, 8, 1, 2}, low[]{-2, -1, -3, 0};
  const double real[]{0, 1, 2, 3};
  expect(range(5), "expected positions from -2 to 7, got 5 to 8");
  expect(range(-3), "expected positions from -2 to 7, got -3 to 0");
  expect(positions(tensor(high, {4})), "expected positions from -2 to 7, got 8");
  expect(positions(tensor(low, {4})), "expected positions from -2 to 7, got -3");
  expect(positions(tensor(real, {4})), "expected whole positions (i32 or i64)");
  fill(plan, out.view(), range(-2));  // the whole table is within reach
  fill(plan, out.view(), range(4));
}

// dtable[p + offset] += scale * alpha * dout, token after token; the padding row stays as it is.
TEST(Learned, ScattersItsGradient) {
  Random random(5);
  const Learned s{
      .dim = 70, .rows = 6, .offset = 1, .padding = 2, .scale = 0.5, .learned_scale = true};
  const int64_t tokens = 140;  // more than two blocks
  for (DType dtype : float_types) {
    const Weights w = random_weights(s, random);
    const TestPlaces at(DType::i64, {3, tokens}, random, -1, 4);  // every row many times
    Guarded dout(dtype, {3, tokens, 70}, Placement::spaced);
    randomize(dout.view(), random);
    const auto g = gradient(s, w, dout.view(), at.at());
    std::vector<double> truth(6 * 70 + 1);
    const double alpha = get(w.arrays[1].view(), 0);
    for (int64_t n = 0; n < dout.view().elements(); ++n) {
      const auto row = static_cast<int64_t>(at.place(1, n / 70 / tokens, n / 70 % tokens)[0]) + 1;
      const auto entry = static_cast<size_t>(row * 70 + n % 70);
      if (row != 2) truth[entry] += 0.5 * alpha * get(dout.view(), n);
      truth.back() +=
          0.5 * get(w.arrays[0].view(), static_cast<int64_t>(entry)) * get(dout.view(), n);
    }
    // At most 420 terms below 1 for a row: as many roundings of a sum below 420, in the compute
    // type, and one of the factor. alpha: 29400 terms below 0.01, summed in double, one rounding.
    const double ulp = half_ulp(compute_type(dtype), 420);
    for (size_t i = 0; i < truth.size() - 1; ++i) ASSERT_NEAR(g[i], truth[i], 421 * ulp) << i;
    EXPECT_NEAR(g.back(), truth.back(),
                29400 * half_ulp(DType::f64, 294) + half_ulp(compute_type(dtype), truth.back()));
    for (size_t c = 0; c < 70; ++c) ASSERT_EQ(g[2 * 70 + c], 0);
  }
}

TEST(Learned, GradientHasTheSameBitsForAnyNumberOfThreads) {
  Random random(6);
  const Learned s{.dim = 200, .rows = 8, .learned_scale = true};
  const Weights w = random_weights(s, random);
  const TestPlaces at(DType::i64, {4, 300}, random, 0, 7);
  const Array dout = make_array(DType::f32, {4, 300, 200});  // enough bytes for several threads
  randomize(dout.view(), random);
  std::vector<std::vector<double>> results;
  for (int count : {1, 2, 3}) {
    const Threads use(count);
    results.push_back(gradient(s, w, dout.view(), at.at()));
  }
  EXPECT_EQ(results[0], results[1]);
  EXPECT_EQ(results[0], results[2]);
}

TEST(Learned, GradientIsTheAdjoint) {
  Random random(7);
  const Learned s{.dim = 5, .rows = 6, .offset = 1, .scale = -2, .learned_scale = true};
  const Array dout = make_array(DType::f64, {2, 7, 5});
  randomize(dout.view(), random);
  const TestPlaces at(DType::i32, {7}, random, -1, 4);
  // The table is bilinear in table and alpha: no third derivative, entries below 2.
  expect_adjoint(s, random_weights(s, random), dout.view(), at.at(), random, 1);
}

// Mllama's gates: d tanh(alpha) = 1 - tanh^2.
TEST(Learned, GatesHaveTheirGradients) {
  Random random(21);
  for (Gate gate : {Gate::tanh, Gate::rest}) {
    const Learned s{.dim = 8, .rows = 5, .scale = 0.5, .learned_scale = true, .gate = gate};
    Weights w = random_weights(s, random);
    randomize(w.arrays[0].view(), random), randomize(w.arrays[1].view(), random);
    const Array dout = make_array(DType::f64, {2, 5, 8});
    randomize(dout.view(), random);
    expect_adjoint(s, w, dout.view(), range(), random, 2);
  }
  EXPECT_EQ(message([] { Learned{.gate = Gate::tanh}.check(); }),
            "[learned] expected learned_scale with a gate of it, got none");
}

// Mllama's two modules with the gate 0.5, from their formulas: tiles weigh tanh(gate), patches the
// rest of 1.
TEST(Learned, GatedTilesOfMllama) {
  const std::vector<double> table{1, 2, 3, 4}, gate{0.5};
  const Tensor weights[] = {tensor(table.data(), {2, 2}), tensor(gate.data(), {1})};
  Learned s{.dim = 2, .rows = 2, .learned_scale = true, .gate = Gate::tanh};
  EXPECT_NEAR(row_at(prepare(s, {.weights = weights}), {1})[0], 3 * 0.46211715726, 1e-10);
  s.gate = Gate::rest;
  EXPECT_NEAR(row_at(prepare(s, {.weights = weights}), {1})[1], 4 * 0.53788284274, 1e-10);
}

}  // namespace
}  // namespace posenc::learned_test
