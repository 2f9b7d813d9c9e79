// polar_test.cc: polar features and mixtures of frequencies on a device against those of the CPU.
#include "posenc/rotate_into.h"
#include "rotary/call.h"
#include "tests/cuda/device.h"
#include "tests/support/message.h"

namespace posenc::polar_test {
namespace {

using CudaPolar = Cuda;

// e^x and ln(1 + x) within two units on both, and a rounding each.
void expect_near(const Tensor& got, const Tensor& wanted) {
  for (int64_t n = 0; n < wanted.elements(); ++n) {
    const double w = get(wanted, n);
    ASSERT_NEAR(get(got, n), w,
                16 * half_ulp(compute_type(wanted.dtype), w) + 2 * half_ulp(wanted.dtype, w));
  }
}

TEST_F(CudaPolar, IsThatOfTheCpu) {
  Random random(1);
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements)
      for (const Layout layout : {Layout::half, Layout::interleaved}) {
        Guarded x(dtype, {3, 5, 7}, placement), dx(dtype, {3, 5, 7}, placement),
            out(dtype, {3, 5, 14}, placement), dout(dtype, {3, 5, 14}, placement);
        randomize(x.view(), random, -20, 20), randomize(dout.view(), random);
        const Array wanted = make_array(dtype, {3, 5, 14}), dwanted = make_array(dtype, {3, 5, 7});
        to_polar(x.view(), wanted.view(), layout);
        to_polar_backward(x.view(), dout.view(), dwanted.view(), layout);
        const OnDevice there(x.view()), pairs(out.view()), dpairs(dout.view()), dthere(dx.view());
        to_polar(there.view(), pairs.view(), layout);
        to_polar_backward(there.view(), dpairs.view(), dthere.view(), layout);
        pairs.fetch(), dthere.fetch();
        ASSERT_TRUE(out.intact() && dx.intact());
        expect_near(out.view(), wanted.view());
        expect_near(dx.view(), dwanted.view());
      }
}

using Verb = void (*)(const RotaryPlan&, const QueriesKeys&, const QueriesKeys&, const Positions&,
                      Stream);

// Rows are one table on both; sums of two products of numbers below 4 are rounded once more.
TEST_F(CudaPolar, MixturesTurnAlike) {
  Random random(2);
  for (const DType dtype : float_types)
    for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out})
      for (const int64_t heads : {1, 3}) {
        Rope rope{.dim = 16,
                  .layout = layout,
                  .frequencies = Fourier{
                      .heads = heads, .max_position_embeddings = 40, .rest = RestPairs::ones}};
        rope.offset = heads;
        if (heads > 1) rope.temperature = LogTemperature{.scale = 0.3, .floor = 4};
        const Weights w = random_weights(rope.weights(), random);
        const RotaryPlan plan = prepare(rope, {.weights = w.views()});
        const Array table = make_array(dtype, {40 - heads, heads * 16}), rows = table;
        const OnDevice filled(table.view());
        fill(plan.table(), rows.view()), fill(plan.table(), filled.view());
        filled.fetch();
        expect_near(table.view(), rows.view());
        for (const Verb verb : {static_cast<Verb>(rotate), rotate_adjoint, rotate_inverse}) {
          Guarded q(dtype, {2, 5, 6, 16}), out(dtype, {2, 5, 6, 16});  // two share coefficients
          randomize(q.view(), random);
          const Array wanted = make_array(dtype, {2, 5, 6, 16});
          const OnDevice from(q.view()), to(out.view());
          verb(plan, {.q = q.view()}, {.q = wanted.view()}, range(9), {});
          verb(plan, {.q = from.view()}, {.q = to.view()}, range(9), {});
          to.fetch();
          ASSERT_TRUE(out.intact());
          for (int64_t n = 0; n < wanted.view().elements(); ++n) {
            const double size = std::max(4.0, 64 * std::abs(get(wanted.view(), n)));
            ASSERT_NEAR(get(out.view(), n), get(wanted.view(), n),
                        8 * half_ulp(compute_type(dtype), size) + 2 * half_ulp(dtype, size));
          }
        }
      }
}

// The rows of a mixture tell by how much an inverse divides, a factor of their plan included.
TEST_F(CudaPolar, InverseOfMixturesAsksTheRowsAlone) {
  Random random(5);
  const Rope rope{.dim = 16, .layout = Layout::half, .frequencies = Fourier{}};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  const Array q = make_array(DType::f64, {5, 6, 16}), once = q, wanted = q, out = q;
  randomize(q.view(), random);
  const OnDevice from(q.view()), to(out.view());
  const auto inverse = [&](const Tensor& x, const Tensor& y, double factor) {
    RotateOrder order = check_rotate("rotate_inverse", plan, {.q = x}, {.q = y}, range(9));
    order.way = Way::inverse, order.magnitudes.cos_sin_factor = factor;
    run(order);
  };
  inverse(q.view(), once.view(), 1), inverse(q.view(), wanted.view(), 1.5);
  inverse(from.view(), to.view(), 1.5);
  to.fetch();
  EXPECT_EQ(numbers(wanted.view()), numbers(once.view()));
  for (int64_t n = 0; n < q.view().elements(); ++n) {
    const double size = std::max(4.0, 64 * std::abs(get(wanted.view(), n)));
    ASSERT_NEAR(get(out.view(), n), get(wanted.view(), n), 8 * half_ulp(DType::f64, size));
  }
}

// Queries without phases, keys with those of their head, two of which share them, into a cache.
TEST_F(CudaPolar, RotatesPhasesInto) {
  Random random(4);
  const Rope rope{.dim = 12, .layout = Layout::half, .phases = LearnedPhases{2}};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  const Array q = make_array(DType::f32, {5, 3, 12}), k = make_array(DType::f32, {5, 4, 12}),
              norm = make_array(DType::f32, {12}), cache = make_array(DType::f32, {1, 8, 4, 12});
  for (const Array* a : {&q, &k, &norm}) randomize(a->view(), random);
  const Array dq = q, dcache = cache;
  const OnDevice q_there(dq.view()), k_there(k.view()), norm_there(norm.view()),
      cache_there(dcache.view());
  const auto into = [&](const Tensor& x, const Tensor& y, const Tensor& weight, const Tensor& to) {
    RotateIntoOptions options{.norm = {.k = weight}};
    options.cache.k = to;
    rotate_into(plan, {x, y}, {.q = x}, options, range(1));
  };
  into(q.view(), k.view(), norm.view(), cache.view());
  into(q_there.view(), k_there.view(), norm_there.view(), cache_there.view());
  q_there.fetch(), cache_there.fetch();
  // Numbers below 4, rows within 3.1e-8, and a few roundings of the norm and the turn.
  for (int64_t n = 0; n < q.view().elements(); ++n)
    EXPECT_NEAR(get(dq.view(), n), get(q.view(), n), 16 * half_ulp(DType::f32, 4));
  for (int64_t n = 0; n < cache.view().elements(); ++n)
    EXPECT_NEAR(get(dcache.view(), n), get(cache.view(), n), 16 * half_ulp(DType::f32, 4));
}

TEST_F(CudaPolar, GradientOfCoefficientsIsTheCpus) {
  const Rope rope{.dim = 16, .layout = Layout::half, .frequencies = Fourier{}};
  Random random(3);
  const Weights w = random_weights(rope.weights(), random),
                sum = zero_weights(rope.weights(), DType::f32);
  const Array x = make_array(DType::f32, {2, 1, 16});
  const OnDevice there(x.view()), to(sum.arrays[0].view());
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  expect_message(
      [&] { backward(plan, {.q = there.view()}, {.q = there.view()}, to.view()); },
      "[backward] expected tensors on the CPU for the gradient of coefficients, got cuda");
}

}  // namespace
}  // namespace posenc::polar_test
