// activation.cc: what follows a convolution, token by token, forward and back.
#include "cpu/activation.h"

#include <cmath>
#include <numbers>

namespace posenc::cpu {
namespace {

constexpr double epsilon = 1e-5;  // torch's

struct TokenMoments {
  double mean = 0, factor = 1;  // 1 / sqrt(variance + epsilon)
};

template <class C>
TokenMoments moments(const C* token, int64_t dim) {
  const auto n = static_cast<double>(dim);
  double sum = 0, squares = 0;
  for (int64_t c = 0; c < dim; ++c) sum += static_cast<double>(token[c]);
  const double mean = sum / n;
  for (int64_t c = 0; c < dim; ++c) {
    const double off = static_cast<double>(token[c]) - mean;
    squares += off * off;
  }
  return {mean, 1 / std::sqrt(squares / n + epsilon)};
}

// The share of normal numbers below x; GELU is x times that.
template <class C>
C below(C x) {
  return C{0.5} * std::erfc(-x * static_cast<C>(std::numbers::sqrt2 / 2));
}
template <class C>
C gelu_slope(C x) {
  const auto density = static_cast<C>(std::numbers::inv_sqrtpi * std::numbers::sqrt2 / 2);
  return below(x) + x * density * std::exp(C{-0.5} * x * x);
}

}  // namespace

template <class C>
void activate(const Convolution& s, C* token) {
  if (s.layer_norm) {
    const auto [mean, factor] = moments(token, s.dim);
    for (int64_t c = 0; c < s.dim; ++c)
      token[c] = static_cast<C>((static_cast<double>(token[c]) - mean) * factor);
  }
  if (s.activation == ConvolutionActivation::gelu)
    for (int64_t c = 0; c < s.dim; ++c) token[c] *= below(token[c]);
}

template <class C>
void activate_back(const Convolution& s, const C* z, C* gradient) {
  const auto [mean, factor] = s.layer_norm ? moments(z, s.dim) : TokenMoments{};
  const auto normed = [&, m = mean, f = factor](int64_t c) {
    return static_cast<C>((static_cast<double>(z[c]) - m) * f);
  };
  if (s.activation == ConvolutionActivation::gelu)
    for (int64_t c = 0; c < s.dim; ++c) gradient[c] *= gelu_slope(normed(c));
  if (!s.layer_norm) return;
  double sum = 0, along = 0;  // what a norm forgets: the mean, and the length
  for (int64_t c = 0; c < s.dim; ++c) {
    sum += static_cast<double>(gradient[c]);
    along += static_cast<double>(gradient[c]) * static_cast<double>(normed(c));
  }
  const auto n = static_cast<double>(s.dim);
  for (int64_t c = 0; c < s.dim; ++c)
    gradient[c] = static_cast<C>(factor * (static_cast<double>(gradient[c]) - sum / n -
                                           static_cast<double>(normed(c)) * along / n));
}

void through_weight_norm(const ConvolutionLayer& layer, std::span<double> sums,
                         std::span<double> g) {
  const size_t taps = g.size();
  for (size_t n = 0; n < sums.size(); ++n) g[n % taps] += sums[n] * layer.unit[n];
  for (size_t n = 0; n < sums.size(); ++n) {
    const size_t tap = n % taps;
    sums[n] = layer.g[tap] / layer.norm[tap] * (sums[n] - layer.unit[n] * g[tap]);
  }
}

template void activate(const Convolution&, float*);
template void activate(const Convolution&, double*);
template void activate_back(const Convolution&, const float*, float*);
template void activate_back(const Convolution&, const double*, double*);

}  // namespace posenc::cpu
