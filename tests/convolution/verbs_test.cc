// verbs_test.cc: convolutions over neighbours and their gradients, from the formulas.
#include <gtest/gtest.h>

#include "tests/convolution/reference.h"
#include "tests/support/guarded.h"
#include "tests/support/threads.h"

namespace posenc::verbs_test {
namespace {

using plain::Numbers;
using plain::Sizes;
constexpr auto none = ConvolutionActivation::none;

struct Case {
  Convolution scheme;
  Sizes size;
  ConvolveOptions options() const {
    if (scheme.coordinates == 1) return {};
    return {.height = size.height, .width = size.width};
  }
  std::vector<int64_t> shape() const { return {size.rows, size.tokens(scheme), scheme.dim}; }
};

// Even and odd kernels, longer than the line or one alone; groups of one, some and all columns;
// class tokens alone.
std::vector<Case> cases() {
  Convolution time{.dim = 12, .kernel = 4, .groups = 3};
  std::vector<Case> out{{time, {2, 1, 7}}, {time, {3, 1, 1}}, {time, {1, 1, 0}}};
  out.push_back({{.dim = 6, .kernel = 9, .groups = 1, .prefix = 2}, {2, 1, 5}});
  out.push_back({{.dim = 6, .kernel = 9, .groups = 1, .prefix = 2}, {2, 1, 0}});
  out.push_back({{.dim = 70, .kernel = 3, .groups = 70}, {2, 1, 6}});
  out.push_back({{.dim = 35, .kernel = 1, .groups = 5, .weight_norm = false}, {1, 1, 33}});
  Convolution stack{.dim = 8, .kernel = 5, .groups = 2, .layers = 3, .weight_norm = false};
  stack.layer_norm = true;
  out.push_back({stack, {2, 1, 6}});
  Convolution peg{.dim = 66, .coordinates = 2, .kernel = 3, .groups = 66, .weight_norm = false};
  peg.activation = none, peg.prefix = 1;
  out.push_back({peg, {2, 3, 5}});
  Convolution grid{.dim = 6, .coordinates = 2, .kernel = 4, .groups = 2, .layers = 2};
  out.push_back({grid, {2, 5, 2}});
  return out;
}

Weights random_weights(const Convolution& scheme, Random& random) {
  Weights out = zero_weights(scheme.weights(), DType::f64);
  for (Array& a : out.arrays) randomize(a.view(), random);
  return out;
}

// Sums have at most 54 products of numbers below 8, and a few operations more follow; three layers,
// each of which makes what it is given at most 54 times as large. A layer norm divides by a
// deviation, of numbers that are never nearly alike here.
double tolerance(DType dtype, double truth) {
  const double unit = dtype == DType::f64 ? 0x1p-53 : 0x1p-24;
  return 1e3 * unit * (1 + std::abs(truth)) + half_ulp(dtype, truth);
}

TEST(Convolve, IsThePlainSum) {
  Random random(1);
  size_t number = 0;
  for (const Case& c : cases())
    for (DType dtype : float_types) {
      const Placement placement = all_placements[number++ % std::size(all_placements)];
      const Weights weights = random_weights(c.scheme, random);
      const auto plan = prepare(c.scheme, {.weights = weights.views()});
      const Guarded x(dtype, c.shape(), placement), out(dtype, c.shape(), placement);
      randomize(x.view(), random);
      for (bool add_input : {true, false}) {
        ConvolveOptions options = c.options();
        options.add_input = add_input;
        convolve(plan, x.view(), out.view(), options);
        ASSERT_TRUE(out.intact());
        const auto truth = plain::convolve(c.scheme, weights, c.size, numbers(x.view()), add_input);
        for (int64_t n = 0; n < std::ssize(truth); ++n) {
          const double t = truth[static_cast<size_t>(n)];
          ASSERT_NEAR(get(out.view(), n), t, tolerance(dtype, t)) << to_string(dtype) << number;
        }
      }
      const Numbers apart = numbers(out.view());
      ConvolveOptions options = c.options();
      options.add_input = false;
      convolve(plan, x.view(), x.view(), options);  // in place
      ASSERT_EQ(numbers(x.view()), apart);
    }
}

double product(const Numbers& a, const Numbers& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// <gradients, direction> = d/dh <dout, y(x and weights + h direction)>, of the plain formula.
TEST(Convolve, GradientIsTheSlope) {
  Random random(2);
  for (const Case& c : cases()) {
    const Weights weights = random_weights(c.scheme, random);
    Weights step = random_weights(c.scheme, random),
            sums = zero_weights(c.scheme.weights(), DType::f64);
    const Array x = make_array(DType::f64, c.shape()), dout = x, dx = x, dir = x;
    for (const Array* a : {&x, &dout, &dir}) randomize(a->view(), random);
    const auto plan = prepare(c.scheme, {.weights = weights.views()});
    convolve_backward(plan, x.view(), dout.view(), dx.view(), sums.views(), c.options());
    double slope = product(numbers(dx.view()), numbers(dir.view()));
    for (size_t i = 0; i < sums.arrays.size(); ++i)
      slope += product(numbers(sums.arrays[i].view()), numbers(step.arrays[i].view()));
    const auto loss = [&](double h) {
      Weights moved = weights;
      for (size_t i = 0; i < moved.arrays.size(); ++i)
        for (int64_t n = 0; n < moved.arrays[i].view().elements(); ++n)
          set(moved.arrays[i].view(), n,
              get(weights.arrays[i].view(), n) + h * get(step.arrays[i].view(), n));
      Numbers at = numbers(x.view()), along = numbers(dir.view());
      for (size_t n = 0; n < at.size(); ++n) at[n] += h * along[n];
      return product(plain::convolve(c.scheme, moved, c.size, at), numbers(dout.view()));
    };
    // Of fourth order: what is left is h^4 of a fifth derivative, and roundings over h.
    const double h = 1e-3;
    const double difference = (8 * (loss(h) - loss(-h)) - (loss(2 * h) - loss(-2 * h))) / (12 * h);
    EXPECT_NEAR(slope, difference, 1e-7 * (1 + std::abs(difference))) << c.scheme.dim;
  }
}

// The gradients of other types are those of f64, of rounded numbers.
TEST(Convolve, GradientsOfEveryType) {
  Random random(3);
  for (const Case& c : cases())
    for (DType dtype : {DType::f32, DType::f16, DType::bf16}) {
      const Weights weights = random_weights(c.scheme, random);
      const auto plan = prepare(c.scheme, {.weights = weights.views()});
      const Guarded x(dtype, c.shape(), Placement::spaced), dx(dtype, c.shape());
      const Guarded dout(dtype, c.shape(), Placement::reversed);
      randomize(x.view(), random), randomize(dout.view(), random);
      const Array x64 = make_array(DType::f64, c.shape()), dout64 = x64, dx64 = x64;
      for (int64_t n = 0; n < x.view().elements(); ++n)
        set(x64.view(), n, get(x.view(), n)), set(dout64.view(), n, get(dout.view(), n));
      const Weights sums = zero_weights(c.scheme.weights(), DType::f32);
      const Weights truth = zero_weights(c.scheme.weights(), DType::f64);
      convolve_backward(plan, x.view(), dout.view(), dx.view(), sums.views(), c.options());
      convolve_backward(plan, x64.view(), dout64.view(), dx64.view(), truth.views(), c.options());
      ASSERT_TRUE(dx.intact());
      double size = 1;
      for (double g : numbers(dx64.view())) size = std::max(size, std::abs(g));
      for (int64_t n = 0; n < dx.view().elements(); ++n)
        ASSERT_NEAR(get(dx.view(), n), get(dx64.view(), n), tolerance(dtype, size));
      for (size_t i = 0; i < sums.arrays.size(); ++i) {
        for (double g : numbers(truth.arrays[i].view())) size = std::max(size, std::abs(g));
        for (int64_t n = 0; n < sums.arrays[i].view().elements(); ++n)
          ASSERT_NEAR(get(sums.arrays[i].view(), n), get(truth.arrays[i].view(), n),
                      tolerance(DType::f32, size));
      }
    }
}

// The gradients of a case, from the same numbers every time.
struct Gradients {
  Numbers dx;
  std::vector<Numbers> dweights;
  bool operator==(const Gradients&) const = default;
};
Gradients gradients(const Case& c, bool add_input, bool wants_dx = true, bool wants_dw = true) {
  Random random(5);
  const Weights weights = random_weights(c.scheme, random);
  const Weights sums = zero_weights(c.scheme.weights(), DType::f64);
  const Array x = make_array(DType::f64, c.shape()), dout = x, dx = x;
  randomize(x.view(), random), randomize(dout.view(), random);
  ConvolveOptions options = c.options();
  options.add_input = add_input;
  std::vector<Tensor> dweights = sums.views();
  if (!wants_dw) dweights.clear();
  convolve_backward(prepare(c.scheme, {.weights = weights.views()}), x.view(), dout.view(),
                    wants_dx ? dx.view() : Tensor{}, dweights, options);
  Gradients out;
  if (wants_dx) out.dx = numbers(dx.view());
  for (const Array& a : sums.arrays) out.dweights.push_back(numbers(a.view()));
  return out;
}

// Without the input what it hands back is missing, the whole gradient of class tokens; the weights
// are told the same.
TEST(Convolve, GradientOfTheEmbeddingAlone) {
  for (const Case& c : cases()) {
    Random random(5);
    random_weights(c.scheme, random);
    const Array x = make_array(DType::f64, c.shape()), dout = x;
    randomize(x.view(), random), randomize(dout.view(), random);
    const Gradients with = gradients(c, true), without = gradients(c, false);
    EXPECT_EQ(with.dweights, without.dweights);
    double rest = 0;
    for (size_t n = 0; n < with.dx.size(); ++n) {
      const double handed = get(dout.view(), static_cast<int64_t>(n));
      EXPECT_NEAR(with.dx[n], without.dx[n] + handed, tolerance(DType::f64, with.dx[n]));
      const auto token = static_cast<int64_t>(n) / c.scheme.dim % c.size.tokens(c.scheme);
      if (token < c.scheme.prefix) {
        EXPECT_EQ(without.dx[n], 0);
      }
      rest += std::abs(without.dx[n]);
    }
    EXPECT_EQ(rest > 0, c.size.width > 0) << "a weak test";
  }
}

TEST(Convolve, WhatIsNotWantedIsNotNeeded) {
  for (const Case& c : cases())
    for (const bool add_input : {true, false}) {
      const Gradients all = gradients(c, add_input);
      EXPECT_EQ(gradients(c, add_input, false).dweights, all.dweights);
      EXPECT_EQ(gradients(c, add_input, true, false).dx, all.dx);
      EXPECT_NO_THROW(gradients(c, add_input, false, false));
    }
}

// Enough tokens that several threads take part.
TEST(Convolve, ThreadsChangeNothing) {
  Convolution time{.dim = 48, .kernel = 6, .groups = 4}, grid = time;
  grid.coordinates = 2, grid.kernel = 3, grid.prefix = 1;
  for (const Case& c : {Case{time, {3, 1, 700}}, {grid, {3, 23, 30}}}) {
    Random random(6);
    const Weights weights = random_weights(c.scheme, random);
    const auto plan = prepare(c.scheme, {.weights = weights.views()});
    const Array x = make_array(DType::f32, c.shape()), out = x;
    randomize(x.view(), random);
    const auto convolved = [&](int count) {
      const Threads some(count);
      convolve(plan, x.view(), out.view(), c.options());
      return numbers(out.view());
    };
    const auto slopes = [&](int count) {
      const Threads some(count);
      return gradients(c, true);
    };
    const Numbers one = convolved(1);
    const Gradients slope = slopes(1);
    for (const int count : {2, 5}) {
      EXPECT_EQ(convolved(count), one);
      EXPECT_EQ(slopes(count), slope);
    }
  }
}

// torch draws weights and biases uniformly up to 1 / sqrt(numbers that a sum has), whose deviation
// is that over sqrt 3; lengths are those that the directions have on average.
TEST(Convolve, WeightsBeginAsTorchsDo) {
  for (const Case& c : cases()) {
    const Convolution& s = c.scheme;
    const auto all = s.weights();
    ASSERT_EQ(std::ssize(all), s.layers * (s.weight_norm ? 3 : 2));
    const auto inputs = static_cast<double>(s.dim / s.groups), dim = static_cast<double>(s.dim);
    const double deviation = 1 / std::sqrt(3 * inputs * static_cast<double>(s.taps()));
    for (const Weight& weight : all) {
      const bool lengths = weight.name.ends_with("weight_g");
      EXPECT_NEAR(weight.deviation, lengths ? 0 : deviation, 0x1p-50);
      EXPECT_NEAR(weight.mean, lengths ? deviation * std::sqrt(dim * inputs) : 0, 0x1p-50);
    }
  }
}

TEST(Convolve, WorkedNumbers) {
  Convolution s{.dim = 1, .kernel = 3, .groups = 1, .weight_norm = false};
  s.activation = none;
  Numbers weight{1, 0, -1}, bias{0}, x{1, 2, 4}, out(3);
  const Tensor weights[] = {tensor(weight.data(), {1, 1, 3}), tensor(bias.data(), {1})};
  convolve(prepare(s, {.weights = weights}), tensor(x.data(), {3, 1}), tensor(out.data(), {3, 1}),
           {.add_input = false});
  EXPECT_EQ(out, (Numbers{-2, -3, 2}));
}

}  // namespace
}  // namespace posenc::verbs_test
