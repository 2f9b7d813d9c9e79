// math.h: the two kinds of numbers length rules are computed in.
#pragma once

#include <cmath>

#include "wide.h"

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

struct Exact {
  using Setup = Wide;
  using Real = Wide;
  static Wide two_pi() { return wide_two_pi(); }
  static Frequency frequency(const Wide& radians) {
    if (!isfinite(radians)) fail("frequency", "expected a finite number, got ", radians.str());
    return from_turns(radians / wide_two_pi());
  }
};

// As the usual PyTorch code: limits in f64, what is held for each pair in f32.
struct Torch {
  using Setup = double;
  using Real = F32;
  static double two_pi() { return 2 * M_PI; }
  static Frequency frequency(const F32& radians) { return posenc::frequency(radians.value()); }
};

}  // namespace posenc
