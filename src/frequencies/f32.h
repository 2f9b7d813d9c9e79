// f32.h: arithmetic of f32 code.
#pragma once

#include <cmath>
#include <cstdint>

namespace posenc {

// A float whose every operation rounds to f32, whatever the compiler's flags.
class F32 {
 public:
  F32(double v) {  // NOLINT: 1 / x and x / factor read as they are written
    const volatile auto rounded = static_cast<float>(v);
    value_ = rounded;
  }
  double value() const { return value_; }
  friend F32 operator+(F32 a, F32 b) { return a.value() + b.value(); }
  friend F32 operator-(F32 a, F32 b) { return a.value() - b.value(); }
  friend F32 operator*(F32 a, F32 b) { return a.value() * b.value(); }
  friend F32 operator/(F32 a, F32 b) {
    const volatile double divisor = b.value();  // or -ffast-math multiplies by its reciprocal
    return a.value() / divisor;
  }
  friend bool operator<(F32 a, F32 b) { return a.value_ < b.value_; }
  friend bool operator>(F32 a, F32 b) { return a.value_ > b.value_; }
  friend bool operator==(F32 a, F32 b) { return a.value_ == b.value_; }

 private:
  float value_;
};

inline F32 power(F32 base, F32 exponent) { return std::pow(base.value(), exponent.value()); }

// from + n step; in f32 one rounding, as where a processor multiplies and adds at once.
template <class Real>
Real steps_from(const Real& from, const Real& step, int64_t n) {
  return from + step * n;
}
inline F32 steps_from(const F32& from, const F32& step, int64_t n) {
  return from.value() + step.value() * static_cast<double>(n);
}

// The i-th of n numbers from `from` to `to`, counted from the nearer end, as torch.linspace does.
template <class Real>
Real linspace(const Real& from, const Real& to, int64_t i, int64_t n) {
  if (n == 1) return from;
  const Real step = (to - from) / Real(n - 1);
  return i < n / 2 ? steps_from(from, step, i) : steps_from(to, step, i - (n - 1));
}

}  // namespace posenc
