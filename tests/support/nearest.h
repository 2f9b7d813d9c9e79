// nearest.h: the sixteen-bit float nearest to a number, found among all of them and not by bits.
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

#include "posenc/tensor.h"

namespace posenc {

// The value that sign-less bits stand for; infinity counts as the number that would come next.
inline double value_of(F16 x) {
  const int exponent = x.bits >> 10, fraction = x.bits & 0x3ff;
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}
inline double value_of(BF16 x) {
  const int exponent = x.bits >> 7, fraction = x.bits & 0x7f;
  return exponent == 0 ? std::ldexp(fraction, -133) : std::ldexp(128 + fraction, exponent - 134);
}

// Ties to even. x must be finite.
template <class T>
T nearest(double x) {
  constexpr uint16_t infinity = std::is_same_v<T, F16> ? 0x7c00 : 0x7f80;
  const double size = std::abs(x);
  uint16_t below = 0, above = infinity;
  while (above - below > 1) {
    const auto middle = static_cast<uint16_t>((below + above) / 2);
    (value_of(T{middle}) <= size ? below : above) = middle;
  }
  const double down = size - value_of(T{below}), up = value_of(T{above}) - size;
  const bool take_above = up < down || (up == down && above % 2 == 0);
  const auto sign = std::bit_cast<uint64_t>(x) >> 48 & 0x8000;  // -ffast-math has no sign of zero
  return {static_cast<uint16_t>((take_above ? above : below) | sign)};
}

}  // namespace posenc
