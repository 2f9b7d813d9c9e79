// gradient.h: the gradient of the weights against the forward pass alone.
#pragma once

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc {

inline double product(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// The gradient of every weight, one after the other.
inline std::vector<double> gradient(const Absolute& scheme, const Weights& at_weights,
                                    const Tensor& dout, const Positions& at) {
  const Weights sums = zero_weights(scheme, compute_type(dout.dtype));
  backward(prepare(scheme, {.weights = at_weights.views()}), dout, sums.views(), at);
  std::vector<double> out;
  for (const Tensor& t : sums.views())
    for (double g : numbers(t)) out.push_back(g);
  return out;
}

// <dout, table> at weights + step * direction.
inline double loss(const Absolute& scheme, const Weights& start, double step,
                   const std::vector<double>& direction, const Tensor& dout, const Positions& at) {
  Weights moved = start;
  auto v = direction.begin();
  for (Array& a : moved.arrays)
    for (double& w : a.values<double>()) w += step * *v++;
  std::vector<int64_t> shape(dout.shape.begin(), dout.shape.begin() + dout.rank);
  const Array table = make_array(DType::f64, shape);
  fill(prepare(scheme, {.weights = moved.views()}), table.view(), at);
  return product(numbers(dout), numbers(table.view()));
}

// <backward(dout), direction> = d/dh <dout, table(weights + h direction)>, by a central difference.
// `turn` bounds how fast any phase moves along a direction with entries below 1, in radians.
inline void expect_adjoint(const Absolute& scheme, const Weights& w, const Tensor& dout,
                           const Positions& at, Random& random, double turn) {
  const auto g = gradient(scheme, w, dout, at);
  std::vector<double> direction;
  double size = 0;
  for (size_t i = 0; i < g.size(); ++i) direction.push_back(random.real());
  for (double d : numbers(dout)) size += std::abs(d);
  // The difference is off by h^2/6 of the third derivative, at most size * turn^3 * |alpha| (alpha
  // below 2 in these tests), and by the rounding of both losses: entries within 4e-16 and of size
  // up to 1 + turn, the sum of n terms within n 2^-53 of them.
  const double h = 1e-6, n = static_cast<double>(dout.elements());
  const double curve = 2 * size * turn * turn * turn * h * h / 6;
  const double rounding = 2 * size * (1 + turn) * (4e-16 + n * 0x1p-53) / h;
  const double difference =
      (loss(scheme, w, h, direction, dout, at) - loss(scheme, w, -h, direction, dout, at)) /
      (2 * h);
  EXPECT_NEAR(product(g, direction), difference, curve + rounding) << alternative_name(scheme);
  EXPECT_GT(std::abs(difference), 16 * (curve + rounding))
      << "says nothing: " << alternative_name(scheme);
}

}  // namespace posenc
