// wide_functions.h: roots, logarithms and powers of wide numbers.
#pragma once

#include <algorithm>
#include <cmath>

#include "frequencies/wide_float.h"

namespace posenc {

inline const Wide& wide_two_pi() {
  static const Wide value(false, 3, {0x29024e088a67cc74, 0xc4c6628b80dc1cd1, 0xc90fdaa22168c234});
  return value;
}

inline const Wide& wide_ln2() {
  static const Wide value(false, 0, {0x40f343267298b62e, 0xc9e3b39803f2f6af, 0xb17217f7d1cf79ab});
  return value;
}

inline Wide floor(const Wide& x) {
  if (!isfinite(x) || x.exponent_ >= 192) return x;
  Wide whole = x;
  for (size_t i = 0; i < 3; ++i) {  // bits below 1 are those from the exponent-th on
    const int64_t below =
        std::clamp<int64_t>(192 - x.exponent_ - 64 * static_cast<int64_t>(i), 0, 64);
    whole.limbs_[i] = below == 64 ? 0 : whole.limbs_[i] >> below << below;
  }
  if (whole.is_zero()) whole = {};
  return x.negative_ && whole.limbs_ != x.limbs_ ? whole - 1 : whole;
}

inline Wide ceil(const Wide& x) { return -floor(-x); }

// Newton's method from a double, whose 50 good bits become 100, 200, ...
inline Wide sqrt(const Wide& x) {
  if (x < 0 || !isfinite(x)) return x < 0 ? Wide(0) / 0 : x;
  if (x == 0) return x;
  const int64_t half = x.exponent_ >= 0 ? x.exponent_ / 2 : (x.exponent_ - 1) / 2;
  const Wide near = ldexp(x, -2 * half);  // from 1/2 to 2
  Wide root = std::sqrt(near.to_double());
  for (int i = 0; i < 3; ++i) root = ldexp(root + near / root, -1);
  return ldexp(root, half);
}

// p(x) = c[0] + c[1] x + c[2] x^2 + ...
template <size_t n>
Wide polynomial(const std::array<Wide, n>& c, const Wide& x) {
  Wide sum = c[n - 1];
  for (size_t k = n - 1; k-- > 0;) sum = sum * x + c[k];
  return sum;
}

// artanh(z) / z = 1 + z^2 / 3 + z^4 / 5 + ...; 3 - sqrt(8) is the largest z, whose 39th term is
// 2^-204.
inline const auto& artanh_terms() {
  static const auto terms = [] {
    std::array<Wide, 39> out;
    for (size_t k = 0; k < out.size(); ++k) out[k] = Wide(1) / (2 * k + 1);
    return out;
  }();
  return terms;
}

// (e^x - 1) / x = 1 + x / 2! + x^2 / 3! + ...; ln(2) / 512 is the largest x, whose 17th term is
// 2^-201.
inline const auto& exp_terms() {
  static const auto terms = [] {
    std::array<Wide, 17> out;
    out[0] = 1;
    for (size_t k = 1; k < out.size(); ++k) out[k] = out[k - 1] / (k + 1);
    return out;
  }();
  return terms;
}

// ln(m 2^n) = n ln 2 + 2 artanh((m - 1) / (m + 1)), m from sqrt(1/2) to sqrt(2).
inline Wide log(const Wide& x) {
  if (x == 0) return Wide(-1) / 0;
  if (x < 0 || !isfinite(x)) return x < 0 ? Wide(0) / 0 : x;
  int64_t n = x.exponent_;
  Wide m = ldexp(x, -n);
  if (m * m < 0.5) m = ldexp(m, 1), --n;
  const Wide z = (m - 1) / (m + 1);
  return n * wide_ln2() + ldexp(z * polynomial(artanh_terms(), z * z), 1);
}

// e^x = 2^n (1 + y)^256, where 1 + y = e^(r / 256), r = x - n ln 2; (1 + y)^2 = 1 + y (2 + y).
inline Wide exp(const Wide& x) {
  if (!isfinite(x)) return x < 0 ? Wide(0) : x;
  if (x.exponent_ > 40) return x < 0 ? Wide(0) : Wide(1) / 0;
  const double n = std::floor(x.to_double() / wide_ln2().to_double() + 0.5);
  const Wide part = ldexp(x - n * wide_ln2(), -8);
  Wide y = part * polynomial(exp_terms(), part);
  for (int i = 0; i < 8; ++i) y *= y + 2;
  return ldexp(y + 1, static_cast<int64_t>(n));
}

inline Wide log2(const Wide& x) { return log(x) / wide_ln2(); }

inline Wide pow(const Wide& x, const Wide& y) {
  if (y == 0 || x == 1) return 1;
  if (x == 0) return y < 0 ? Wide(1) / 0 : Wide(0);
  return exp(y * log(x));
}

}  // namespace posenc
