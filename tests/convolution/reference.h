// reference.h: convolutions over neighbours as the papers write them, in f64, one number at a time.
#pragma once

#include <numbers>

#include "posenc/convolution.h"
#include "tests/support/weights.h"

namespace posenc::plain {

using Numbers = std::vector<double>;

struct Sizes {
  int64_t rows, height, width;  // of a line: height 1
  int64_t tokens(const Convolution& s) const { return s.prefix + height * width; }
};

// Weight (output, input, tap) of a layer.
inline Numbers layer_weight(const Convolution& s, const Weights& weights, int64_t layer) {
  const auto all = weights.views();
  const size_t first = static_cast<size_t>(layer) * (s.weight_norm ? 3 : 2);
  if (!s.weight_norm) return numbers(all[first]);
  const Numbers g = numbers(all[first]), v = numbers(all[first + 1]);
  Numbers squares(g.size()), out;
  for (size_t n = 0; n < v.size(); ++n) squares[n % g.size()] += v[n] * v[n];
  for (size_t n = 0; n < v.size(); ++n)
    out.push_back(g[n % g.size()] * v[n] / std::sqrt(squares[n % g.size()]));
  return out;
}

// h: [rows, height x width, dim]; zeros beyond the sides.
inline Numbers convolved(const Convolution& s, const Sizes& size, const Numbers& weight,
                         const Numbers& bias, const Numbers& h) {
  const int64_t inputs = s.dim / s.groups, half = s.kernel / 2, tall = s.coordinates == 2;
  Numbers out;
  for (int64_t n = 0; n < std::ssize(h); ++n) {
    const int64_t column = n % s.dim, x = n / s.dim % size.width;
    const int64_t y = n / s.dim / size.width % size.height;
    const int64_t row = n / s.dim / size.width / size.height;
    double sum = bias[static_cast<size_t>(column)];
    for (int64_t tap = 0; tap < s.taps(); ++tap) {
      const int64_t from_y = y + tall * (tap / s.kernel - half), from_x = x + tap % s.kernel - half;
      if (from_y < 0 || from_y >= size.height || from_x < 0 || from_x >= size.width) continue;
      for (int64_t i = 0; i < inputs; ++i) {
        const int64_t from = column / inputs * inputs + i;
        const int64_t at = ((row * size.height + from_y) * size.width + from_x) * s.dim + from;
        sum += weight[static_cast<size_t>((column * inputs + i) * s.taps() + tap)] *
               h[static_cast<size_t>(at)];
      }
    }
    out.push_back(sum);
  }
  return out;
}

inline void normalize(double* token, int64_t dim) {
  double mean = 0, variance = 0;
  for (int64_t c = 0; c < dim; ++c) mean += token[c] / static_cast<double>(dim);
  for (int64_t c = 0; c < dim; ++c)
    variance += (token[c] - mean) * (token[c] - mean) / static_cast<double>(dim);
  for (int64_t c = 0; c < dim; ++c) token[c] = (token[c] - mean) / std::sqrt(variance + 1e-5);
}

inline double gelu(double x) { return x / 2 * (1 + std::erf(x / std::numbers::sqrt2)); }

// x, out: [rows, tokens, dim].
inline Numbers convolve(const Convolution& s, const Weights& weights, const Sizes& size,
                        const Numbers& x, bool add_input = true) {
  const int64_t tokens = size.tokens(s);
  Numbers h;
  for (int64_t n = 0; n < std::ssize(x); ++n)
    if (n / s.dim % tokens >= s.prefix) h.push_back(x[static_cast<size_t>(n)]);
  for (int64_t layer = 0; layer < s.layers; ++layer) {
    const size_t last = static_cast<size_t>(layer + 1) * (s.weight_norm ? 3 : 2) - 1;
    h = convolved(s, size, layer_weight(s, weights, layer), numbers(weights.views()[last]), h);
    for (size_t t = 0; s.layer_norm && t < h.size(); t += static_cast<size_t>(s.dim))
      normalize(&h[t], s.dim);
    if (s.activation == ConvolutionActivation::gelu)
      for (double& number : h) number = gelu(number);
  }
  Numbers out(x.size());
  auto next = h.begin();
  for (int64_t n = 0; n < std::ssize(x); ++n) {
    const double given = add_input ? x[static_cast<size_t>(n)] : 0;
    out[static_cast<size_t>(n)] = given + (n / s.dim % tokens >= s.prefix ? *next++ : 0);
  }
  return out;
}

}  // namespace posenc::plain
