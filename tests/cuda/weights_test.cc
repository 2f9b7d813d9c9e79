// weights_test.cc: weights that stay on the device, and change there, beside those a plan read.
#include "tests/cuda/bias_cases.h"
#include "tests/cuda/capture.h"
#include "tests/support/message.h"

#include "posenc/device_weights.h"

namespace posenc::weights_test {
namespace {

using CudaWeights = Cuda;

// Where random weights lie: as training begins with them, or far beyond.
enum class Spread : uint8_t { usual, wide };

// The same random numbers on the host, of f64 or rounded to f32, and on the device.
struct Given {
  Weights host;
  WeightsOnDevice there;
  Given(const std::vector<Weight>& wanted, uint64_t seed, DType dtype, Spread spread)
      : host(make(wanted, seed, dtype, spread)), there(host) {}
  static Weights make(const std::vector<Weight>& wanted, uint64_t seed, DType dtype,
                      Spread spread) {
    Random random(seed);
    Weights out = random_weights(wanted, random, dtype);
    if (spread == Spread::wide)
      for (const Tensor& t : out.views()) randomize(t, random, -3, 3);
    return out;
  }
};

// What verb(plan, sums of the weights' gradients, stream) writes to out and to those.
template <class Plan, class Verb>
std::vector<double> results(const Plan& plan, const std::vector<Weight>& wanted, const Tensor& out,
                            const Verb& verb) {
  Random random(7);
  randomize(out, random);
  const OnDevice there(out);
  const Weights sums = zero_weights(wanted, compute_type(out.dtype));
  const WeightsOnDevice dsums(sums);
  verb(plan, there.view(), dsums.views(), Stream{});
  there.fetch(), dsums.fetch();
  auto all = numbers(out);
  for (const Tensor& t : sums.views())
    for (const double g : numbers(t)) all.push_back(g);
  return all;
}

// As close as two libraries' exponentials, rounded to dtype, allow: the device's and the host's
// differ in the last bit.
void expect_close(const std::vector<double>& found, const std::vector<double>& wanted,
                  DType dtype) {
  const double unit = dtype == DType::f64 ? 0x1p-52 : dtype == DType::f32 ? 0x1p-23 : 0x1p-7;
  double largest = 0;
  for (const double x : wanted) largest = std::max(largest, std::abs(x));
  ASSERT_EQ(found.size(), wanted.size());
  for (size_t i = 0; i < wanted.size(); ++i)
    ASSERT_NEAR(found[i], wanted[i], 4 * unit * largest) << "number " << i;
}

// A plan that reads weights in each call does what one does that read them when it was made; also
// when they have changed, and in a graph that was captured before they did.
template <class S, class Verb>
void expect_followed(const S& scheme, const std::vector<Weight>& wanted, const Tensor& out,
                     const Verb& verb, Spread spread = Spread::usual) {
  const auto blank = prepare_for_weights(scheme, 0);
  for (const DType dtype : {DType::f64, DType::f32}) {
    const Given first(wanted, 1, dtype, spread), second(wanted, 2, dtype, spread);
    const auto plan = with_weights(blank, first.there.views());
    const auto truth = [&](const Given& g) {
      return results(prepare(scheme, {.weights = g.host.views()}), wanted, out, verb);
    };
    ASSERT_NO_FATAL_FAILURE(
        expect_close(results(plan, wanted, out, verb), truth(first), out.dtype));
    const auto wanted_then = truth(second);
    ASSERT_NE(wanted_then, truth(first));

    Random random(7);
    randomize(out, random);
    OnDevice there(out);
    const Weights sums = zero_weights(wanted, compute_type(out.dtype));
    const WeightsOnDevice dsums(sums);
    const Captured graph([&](Stream s) { verb(plan, there.view(), dsums.views(), s); });
    for (size_t i = 0; i < wanted.size(); ++i) {
      const Tensor from = second.host.views()[i];
      check(cudaMemcpy(first.there.views()[i].data, from.data,
                       static_cast<size_t>(from.elements() * size_of(from.dtype)),
                       cudaMemcpyHostToDevice));
    }
    graph.launch();
    there.fetch(), dsums.fetch();
    auto found = numbers(out);
    for (const Tensor& t : sums.views())
      for (const double g : numbers(t)) found.push_back(g);
    ASSERT_NO_FATAL_FAILURE(expect_close(found, wanted_then, out.dtype));
  }
}

TEST_F(CudaWeights, OfBiases) {
  for (const Bias& scheme : every_bias()) {
    const auto wanted = weights(scheme);
    SCOPED_TRACE(alternative_name(scheme));
    EXPECT_EQ(can_follow_weights(scheme), !wanted.empty());
    if (wanted.empty()) continue;
    for (const DType dtype : {DType::f32, DType::bf16}) {
      const Guarded scores(dtype, {2, case_heads, 5, 9});
      expect_followed(scheme, wanted, scores.view(),
                      [](const BiasPlan& p, const Tensor& x, Views sums, Stream s) {
                        add(p, x, {.scale = 0.5, .scale_on = ScaleOn::sum}, s);
                        backward(p, x, sums, {}, s);
                      });
      if (testing::Test::HasFatalFailure()) return;
    }
    const Numbers at(DType::i32, {5});
    const OnDevice ids(at.view());
    const Guarded scores(DType::f64, {2, case_heads, 5, 9});
    expect_followed(scheme, wanted, scores.view(),
                    [&](const BiasPlan& p, const Tensor& x, Views sums, Stream s) {
                      fill(p, x, {.queries = positions(ids.view())}, s);
                      backward(p, x, sums, {.queries = positions(ids.view())}, s);
                    });
    if (testing::Test::HasFatalFailure()) return;
  }
}

// Weights that are clamped or rounded when they are read.
TEST_F(CudaWeights, OfBiasesThatTakeThemOtherwise) {
  for (const Bias& scheme :
       {Bias(Kerple{.heads = case_heads}),
        Bias(Kerple{.heads = case_heads, .form = KerpleForm::power}),
        Bias(
            Alibi{.heads = case_heads, .learned_slopes = true, .rounding = AlibiRounding::bf16})}) {
    SCOPED_TRACE(alternative_name(scheme));
    const Guarded scores(DType::f64, {case_heads, 5, 9});
    expect_followed(
        scheme, weights(scheme), scores.view(),
        [](const BiasPlan& p, const Tensor& x, Views sums, Stream s) {
          add(p, x, {}, s);
          backward(p, x, sums, {}, s);
        },
        Spread::wide);
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST_F(CudaWeights, OfRows) {
  for (const Absolute& scheme :
       {Absolute(Sinusoidal{.dim = 16, .learned_scale = true}), Absolute(Time2Vec{.dim = 8}),
        Absolute(Time2Vec{.dim = 5, .activation = Activation::cosine}),
        Absolute(Gaussian{.coordinates = 1, .features = 4}),
        Absolute(Gaussian{.coordinates = 1,
        .features = 4,
        .range = CoordinateRange::as_given,
        .unit = Unit::radians}),
        Absolute(Gaussian{.coordinates = 1, .features = 4, .form = FourierForm::phases})}) {
    SCOPED_TRACE(alternative_name(scheme));
    const auto wanted = weights(scheme);
    ASSERT_TRUE(can_follow_weights(scheme));
    for (const DType dtype : {DType::f64, DType::f32}) {
      const Guarded x(dtype, {2, 6, prepare_for_weights(scheme, 0).dim()});
      expect_followed(scheme, wanted, x.view(),
                      [](const AbsolutePlan& p, const Tensor& t, Views sums, Stream s) {
                        add(p, t, range(100000), s);
                        backward(p, t, sums, range(3), s);
                        Tensor one = t;
                        one.shape[0] = 1;
                        fill(p, one, range(-2), s);
                      });
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST_F(CudaWeights, OfFrequencies) {
  const LearnedFrequencies alike{.heads = 1, .axes = 1}, own{.heads = 2, .axes = 2};
  for (const Rope& rope :
       {Rope{.dim = 16, .layout = Layout::half, .frequencies = alike},
        Rope{.dim = 16, .layout = Layout::interleaved, .frequencies = own},
        Rope{.dim = 16, .layout = Layout::half, .sign = Sign::negative, .frequencies = own},
        Rope{.dim = 16,
        .layout = Layout::half,
        .frequencies = own,
        .numerics = Numerics::torch_f32}})
    for (const DType dtype : {DType::f64, DType::f32, DType::bf16}) {
      const Guarded x(dtype, {3, 6, 2, 16});
      expect_followed(rope, rope.weights(), x.view(),
                      [](const RotaryPlan& p, const Tensor& t, Views sums, Stream s) {
                        rotate(p, {.q = t}, range(70000), s);
                        backward(p, {.q = t}, {.q = t}, sums[0], range(2), s);
                        rotate_adjoint(p, {.q = t}, {.q = t}, range(9), s);
                      });
      if (testing::Test::HasFatalFailure()) return;
    }
}

TEST_F(CudaWeights, WhatCannotIsSaid) {
  const Kerple kerple{.heads = 2};
  const Given given(kerple.weights(), 1, DType::f32, Spread::usual);
  const BiasPlan plan = with_weights(prepare_for_weights(kerple, 0), given.there.views());
  const Numbers scores(DType::f32, {2, 5, 9});
  expect_message([&] { add(plan, scores.view()); },
                 "expected scores and the weights on one device, got the CPU and cuda:0");
  expect_message([&] { bias(plan, 0, 1, 2); }, "of weights that the host reads");
  expect_message([&] { with_weights(prepare_for_weights(kerple, 0), given.host.views()); },
                 "expected weights on a CUDA device, got some on the CPU");
  expect_message(
      [&] { with_weights(prepare(kerple, {.weights = given.host.views()}), given.there.views()); },
      "expected a plan of prepare_for_weights(), got another");
  expect_message([&] { prepare_for_weights(Learned{.dim = 8, .rows = 4}, 0); },
                 "expected a scheme that makes waves of its weights, got learned");
  expect_message([&] { prepare_for_weights(Rope{.dim = 8, .layout = Layout::half}, 0); },
                 "expected learned frequencies without phases");
}

}  // namespace
}  // namespace posenc::weights_test
