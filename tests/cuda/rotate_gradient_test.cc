// rotate_gradient_test.cc: the gradient of learned frequencies on a device against that of the CPU.
#include "posenc/rotary.h"
#include "tests/cuda/sums.h"
#include "tests/support/rotation.h"

namespace posenc::rotate_gradient_test {
namespace {

using CudaRotateGradient = Cuda;

std::vector<Rope> ropes() {
  std::vector<Rope> out;
  for (const Layout l : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out}) {
    const LogTemperature warm{.scale = 0.3, .floor = 2};
    out.push_back({.dim = 10, .layout = l, .frequencies = LearnedFrequencies{1, 1}});
    out.push_back({.dim = 16, .layout = l, .frequencies = LearnedFrequencies{4, 2}});
    out.push_back({.dim = 10, .layout = l, .frequencies = LearnedFrequencies{2, 2}});
    out.push_back({.dim = 14,
                   .layout = l,
                   .rotary_dim = 8,
                   .rotary_offset = -10,
                   .blocks = 2,
                   .frequencies = LearnedFrequencies{1, 3}});
    out.push_back({.dim = 10,
                   .layout = l,
                   .rotary_heads = 2,
                   .first_head = -2,
                   .sign = Sign::negative,
                   .offset = 1,
                   .frequencies = LearnedFrequencies{2, 2}});
    out.push_back({.dim = 12, .layout = l, .phases = LearnedPhases{}});
    out.push_back({.dim = 12, .layout = l, .sign = Sign::negative, .phases = LearnedPhases{4}});
    out.push_back({.dim = 10,
                   .layout = l,
                   .offset = 1,
                   .frequencies = LearnedFrequencies{1, 2},
                   .decay = XPos{.scale_base = 16},
                   .temperature = warm});
  }
  return out;
}

struct Step {
  int64_t batch = 2, tokens = 7, heads = 4;
  Placement placement = Placement::dense;
  bool queries = true;
};

// Angles on the device are within 6.1e-8 in f32, with which all products come in; everything else
// is done in f64 on both, and rounded once for the sum and once for the addition. Numbers are below
// 1 and factors of xPos and temperature below 3: a sum of dcos and dsin over n pairs is below 4 n,
// its slope below 2 pi of a turn (a link's factor is one over that), and a place at most `far`.
void expect_alike(const Rope& rope, DType dtype, const TestPlaces& at, double far,
                  const Step& step) {
  Random random(4);
  const Weights w = random_weights(rope.weights(), random);
  const WeightsOnDevice device_weights(w);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()}),
                   there = prepare(rope, {.weights = device_weights.views()});
  const PlacesOnDevice device_at(at.at());
  const std::vector<int64_t> shape{step.batch, step.tokens, step.heads, rope.dim};
  Guarded q(dtype, shape, step.placement), k(dtype, shape, step.placement), dq(dtype, shape),
      dk(dtype, shape, step.placement);
  for (const Guarded* t : {&q, &k, &dq, &dk}) randomize(t->view(), random);
  const OnDevice on[] = {OnDevice(q.view()), OnDevice(k.view()), OnDevice(dq.view()),
                         OnDevice(dk.view())};
  Guarded sums(compute_type(dtype), rope.weights()[0].shape, step.placement);
  randomize(sums.view(), random);
  const Array truth = widened(sums.view());
  const Array x[] = {widened(q.view()), widened(k.view()), widened(dq.view()), widened(dk.view())};
  const auto both = [&](const Tensor& a, const Tensor& b) {
    return step.queries ? QueriesKeys{a, b} : QueriesKeys{.k = b};
  };
  backward(plan, both(x[0].view(), x[1].view()), both(x[2].view(), x[3].view()), truth.view(),
           at.at());
  run_twice({&sums}, [&](std::span<const Tensor> to) {
    backward(there, both(on[0].view(), on[1].view()), both(on[2].view(), on[3].view()), to[0],
             device_at.at());
  });
  const DType c = compute_type(dtype);
  const double n = 2.0 * static_cast<double>(step.batch * step.tokens * step.heads);
  const double size = 2 * 4 * n * far;
  const double error = device_row_error(c, 1) + row_error(DType::f64, 1) + 16 * n * 0x1p-53;
  for (int64_t e = 0; e < truth.view().elements(); ++e) {
    const double wanted = get(truth.view(), e);
    ASSERT_NEAR(get(sums.view(), e), wanted, error * size + 2 * half_ulp(c, std::abs(wanted) + 2))
        << e;
  }
}

TEST_F(CudaRotateGradient, IsThatOfTheCpu) {
  Random random(6);
  size_t n = 0;
  for (const Rope& rope : ropes())
    for (const DType dtype : {DType::f64, float_types[n++ % 4]}) {
      SCOPED_TRACE(options_text(rope) + " " + std::string(to_string(dtype)));
      const auto some = [&](DType ids, int64_t rows) {
        return TestPlaces(ids, {rope.axis_count(), rows, 7}, random, 0, 9);
      };
      for (const TestPlaces& at : {some(DType::i64, 2), some(DType::f64, 2), some(DType::i32, 1),
                                   some(DType::f64, 1), TestPlaces(2)})
        expect_alike(rope, dtype, at, 11, {});
    }
}

TEST_F(CudaRotateGradient, ViewsOfAnyStrides) {
  for (const Placement placement : all_placements)
    for (const DType dtype : {DType::f64, DType::f16})
      for (const bool queries : {true, false})
        expect_alike(ropes()[1], dtype, TestPlaces(1), 8,
                     {.placement = placement, .queries = queries});
}

// Parts of tokens and of batch rows.
TEST_F(CudaRotateGradient, ManyTokens) {
  Random random(7);
  const Rope rope{.dim = 8, .layout = Layout::half, .frequencies = LearnedFrequencies{1, 2}};
  for (const auto& [batch, tokens] : {std::pair{40, 3}, std::pair{2, 500}})
    for (const int64_t rows : {1, batch})
      expect_alike(rope, DType::bf16, TestPlaces(DType::i32, {2, rows, tokens}, random, 0, 3000),
                   3000, {.batch = batch, .tokens = tokens, .heads = 2});
}

}  // namespace
}  // namespace posenc::rotate_gradient_test
