// rotary_rules.h: the length rules of rotary schemes, one formula each; internal to the reference.
//
// base_of   the base a rule works with
// scaled    the frequency of pair k of a text of `length` tokens, period = base^(2k/D)
//
// N is Real, or Rounded: then limits of a rule are worked out as they are in Python, and what a
// tensor holds for each pair is an f32, rounded after each operation.
#pragma once

#include "posenc/rotary/rope.h"
#include "reference/real.h"

namespace posenc::reference {

// An f32 whose operations are rounded correctly.
class Rounded {
 public:
  explicit Rounded(const Real& x) : value_(nearest_f32(x)) {}
  Real value() const { return value_; }
  friend Rounded operator+(const Rounded& a, const Rounded& b) {
    return Rounded(a.value_ + b.value_);
  }
  friend Rounded operator-(const Rounded& a, const Rounded& b) {
    return Rounded(a.value_ - b.value_);
  }
  friend Rounded operator*(const Rounded& a, const Rounded& b) {
    return Rounded(a.value_ * b.value_);
  }
  friend Rounded operator/(const Rounded& a, const Rounded& b) {
    return Rounded(a.value_ / b.value_);
  }
  friend bool operator<(const Rounded& a, const Rounded& b) { return a.value_ < b.value_; }

 private:
  Real value_;
};

inline Real power(const Real& base, const Real& exponent) { return pow(base, exponent); }
inline Rounded power(const Rounded& base, const Rounded& exponent) {
  return Rounded(pow(base.value(), exponent.value()));
}

inline Real ntk_base(const Rope& s, const Real& factor) {
  const int64_t d = s.turning();
  return d == 2 ? Real(s.base) : s.base * pow(factor, Real(d) / (d - 2));
}

Real base_of(const auto&, const Rope& s, int64_t) { return s.base; }
inline Real base_of(const Ntk& rule, const Rope& s, int64_t) { return ntk_base(s, rule.factor); }
inline Real base_of(const DynamicNtk& rule, const Rope& s, int64_t length) {
  const Real longer = Real(std::max(length, rule.max_position_embeddings));
  return ntk_base(s, rule.factor * longer / rule.max_position_embeddings - (Real(rule.factor) - 1));
}
inline Real base_of(const VllmNtk& rule, const Rope& s, int64_t) {
  return rule.mixed_b ? Real(s.base) : Real(s.base) * rule.factor;
}

template <class N>
N scaled(const auto&, const Rope&, int64_t, int64_t, const N& period) {
  return N(1) / period;
}

template <class N>
N scaled(const Linear& rule, const Rope&, int64_t, int64_t, const N& period) {
  return N(1) / period / N(rule.factor);
}

template <class N>
N scaled(const DynamicLinear& rule, const Rope&, int64_t, int64_t length, const N& period) {
  const double longer =
      static_cast<double>(length) / static_cast<double>(rule.pretrained_max_position_embeddings);
  return N(1) / period /
         N(longer > rule.factor ? Real(length) / rule.pretrained_max_position_embeddings
                                : Real(rule.factor));
}

// floor(share d / 2) pairs turn; share d is a product of doubles where configs are read.
template <class N>
N scaled(const Proportional& rule, const Rope& s, int64_t k, int64_t, const N& period) {
  const double turning = rule.partial_rotary_factor * static_cast<double>(s.dim) / 2;
  return k < static_cast<int64_t>(turning) ? N(1) / period / N(rule.factor) : N(0);
}

template <class N>
N scaled(const VllmNtk& rule, const Rope& s, int64_t k, int64_t, const N& period) {
  const Real half = Real(s.turning()) / 2, factor = rule.factor;
  if (!rule.mixed_b) return N(1) / period / N(pow(factor, 1 / half));
  const Real a = log(factor) / pow(half, *rule.mixed_b);
  return N(1) / period / N(exp(a * pow(Real(k + 1), *rule.mixed_b)));
}

template <class N>
N scaled(const LongRope& rule, const Rope&, int64_t k, int64_t length, const N& period) {
  const bool is_long = length > rule.original_max_position_embeddings;
  return N(1) /
         (N((is_long ? rule.long_factor : rule.short_factor)[static_cast<size_t>(k)]) * period);
}

// The pair, not rounded to a whole one, that makes so many turns in the original length.
inline Real pair_with(const Rope& s, double turns, int64_t original) {
  return s.turning() * log(original / (2 * pi() * turns)) / (2 * log(Real(s.base)));
}

// 0 before the pair that makes `fast` turns, 1 after the one that makes `slow`.
template <class N>
N ramp(const Rope& s, double fast, double slow, int64_t original, bool truncate, int64_t k) {
  Real low = pair_with(s, fast, original), high = pair_with(s, slow, original);
  if (truncate) low = floor(low), high = ceil(high);
  low = std::max(low, Real(0)), high = std::min(high, Real(s.turning() - 1));
  if (low == high) high += Real(0.001);
  const N r = (N(k) - N(low)) / N(high - low);
  return r < N(0) ? N(0) : N(1) < r ? N(1) : r;
}

template <class N>
N scaled(const Yarn& rule, const Rope& s, int64_t k, int64_t, const N& period) {
  const N slow = ramp<N>(s, rule.beta_fast, rule.beta_slow, rule.original_max_position_embeddings,
                         rule.truncate, k);
  const N kept = (N(1) - slow) * N(rule.extrapolation_factor);
  return N(1) / (N(rule.factor) * period) * (N(1) - kept) + N(1) / period * kept;
}

template <class N>
N scaled(const ByParts& rule, const Rope& s, int64_t k, int64_t, const N& period) {
  const int64_t original = rule.original_max_position_embeddings;
  const N ntk = N(1) / power(N(ntk_base(s, rule.factor)), N(2 * k) / N(s.turning()));
  const N linear = N(1) / (N(rule.factor) * period);
  const N to_ntk = N(1) - ramp<N>(s, rule.beta_0, rule.beta_1, original, true, k);
  const N to_kept = N(1) - ramp<N>(s, rule.gamma_0, rule.gamma_1, original, true, k);
  const N slowed = linear * (N(1) - to_ntk) + ntk * to_ntk;
  return slowed * (N(1) - to_kept) + N(1) / period * to_kept;
}

template <class N>
N scaled(const Llama3& rule, const Rope&, int64_t, int64_t, const N& period) {
  const Real original = rule.original_max_position_embeddings;
  const N f = N(1) / period, wavelength = N(2 * pi()) / f, factor(rule.factor);
  if (wavelength < N(original / rule.high_freq_factor)) return f;
  if (N(original / rule.low_freq_factor) < wavelength) return f / factor;
  if (rule.low_freq_factor == rule.high_freq_factor) return f / factor;
  const N smooth = (N(original) / wavelength - N(rule.low_freq_factor)) /
                   N(Real(rule.high_freq_factor) - rule.low_freq_factor);
  return (N(1) - smooth) * f / factor + smooth * f;
}

// What cosines and sines are multiplied by, and what the softmax scale is.
Real cos_sin_factor(const Scaling& scaling, int64_t length);
Real softmax_factor(const Scaling& scaling);

}  // namespace posenc::reference
