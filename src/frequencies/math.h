// math.h: the two kinds of numbers length rules are computed in.
#pragma once

#include <numbers>

#include "frequencies/f32.h"
#include "frequencies/wide_functions.h"
#include "posenc/error.h"
#include "posenc/frequencies.h"

namespace posenc {

Frequency from_turns(const Wide& turns);  // throws Error from 2^62 on

inline Wide power(const Wide& base, const Wide& exponent) { return pow(base, exponent); }

struct Exact {
  using Setup = Wide;
  using Real = Wide;
  static Wide two_pi() { return wide_two_pi(); }
  static Frequency frequency(const Wide& radians) {
    if (!isfinite(radians))
      fail("frequency", "expected a finite number, got ", radians.to_double());
    return from_turns(radians / wide_two_pi());
  }
};

// As the usual PyTorch code: limits in f64, what is held for each pair in f32.
struct Torch {
  using Setup = double;
  using Real = F32;
  static double two_pi() { return 2 * std::numbers::pi; }
  static Frequency frequency(const F32& radians) { return posenc::frequency(radians.value()); }
};

}  // namespace posenc
