// wide_float.h: floating-point numbers of 192 bits, in integer arithmetic, in which frequencies are
// made.
//
// No compiler flag, maths library or platform changes them. Sums, products and quotients are
// rounded to nearest even, an error of at most 2^-192; roots have up to 2 of these, logarithms 4,
// exp(x) 4 + 2 |x| and pow(x, y) 4 + 6 |y ln x|. As with doubles, there are infinities and NaNs.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>

#include "base/bits.h"
#include "frequencies/wide_limbs.h"

namespace posenc {

class Wide {
 public:
  Wide() = default;
  Wide(double value);  // NOLINT: exact, so that 1 / x reads as it is written
  template <std::integral T>
  Wide(T value)  // NOLINT
      : Wide(value < 0,
             value < 0 ? 0 - static_cast<uint64_t>(value) : static_cast<uint64_t>(value)) {}

  double to_double() const;               // the nearest
  std::array<uint64_t, 3> fixed() const;  // floor(x 2^128), the least limb first; |x| < 2^63

  friend Wide operator-(Wide a);
  friend Wide operator+(const Wide& a, const Wide& b);
  friend Wide operator-(const Wide& a, const Wide& b) { return a + -b; }
  friend Wide operator*(const Wide& a, const Wide& b);
  friend Wide operator/(const Wide& a, const Wide& b);
  Wide& operator+=(const Wide& b) { return *this = *this + b; }
  Wide& operator*=(const Wide& b) { return *this = *this * b; }
  friend bool operator<(const Wide& a, const Wide& b);
  friend bool operator==(const Wide& a, const Wide& b);
  friend bool operator>(const Wide& a, const Wide& b) { return b < a; }
  friend bool operator<=(const Wide& a, const Wide& b) { return a < b || a == b; }
  friend bool operator>=(const Wide& a, const Wide& b) { return b <= a; }

  friend bool isfinite(const Wide& x) { return x.kind_ == Kind::finite; }
  friend Wide abs(Wide x);
  friend Wide floor(const Wide& x);
  friend Wide ldexp(Wide x, int64_t n);  // x 2^n
  friend Wide sqrt(const Wide& x);
  friend Wide log(const Wide& x);
  friend Wide exp(const Wide& x);
  friend const Wide& wide_two_pi();
  friend const Wide& wide_ln2();

 private:
  using Limbs = std::array<uint64_t, 3>;  // the least first
  using Guarded = std::array<uint64_t, 4>;
  static constexpr int64_t farthest = int64_t{1} << 40;  // beyond lie infinity and zero
  enum class Kind : uint8_t { finite, infinite, nan };

  Wide(bool negative, uint64_t size);
  Wide(bool negative, int64_t exponent, const Limbs& limbs)
      : negative_(negative), exponent_(exponent), limbs_(limbs) {}
  static Wide special(Kind kind, bool negative);
  static Wide rounded(bool negative, int64_t exponent, Guarded limbs);
  bool is_zero() const { return kind_ == Kind::finite && limbs_[2] == 0; }
  static int compare_sizes(const Wide& a, const Wide& b);  // -1, 0 or 1, as |a| is to |b|

  bool negative_ = false;
  Kind kind_ = Kind::finite;
  int64_t exponent_ = 0;  // |x| = 0.limbs 2^exponent, its first bit 1; or all limbs are 0
  Limbs limbs_{};
};

// ---- made and read -----------------------------------------------------------

inline Wide Wide::special(Kind kind, bool negative) {
  Wide out;
  out.kind_ = kind, out.negative_ = negative;
  return out;
}

// To nearest even. The first limb stands for all that lies beyond 192 bits: its last bit is set
// where any further one is.
inline Wide Wide::rounded(bool negative, int64_t exponent, Guarded limbs) {
  int zeros = 0;
  for (size_t i = 4; i-- > 0;) {
    zeros += std::countl_zero(limbs[i]);
    if (limbs[i] != 0) break;
  }
  if (zeros == 256) return {};
  if (zeros != 0) limbs::shift_left(limbs, static_cast<uint64_t>(zeros));
  exponent -= zeros;
  constexpr uint64_t half = uint64_t{1} << 63;
  Limbs out{limbs[1], limbs[2], limbs[3]};
  const bool up = limbs[0] > half || (limbs[0] == half && out[0] % 2 != 0);
  if (up && limbs::add(out, {1, 0, 0})) out[2] = half, ++exponent;
  if (exponent > farthest) return special(Kind::infinite, negative);
  if (exponent < -farthest) return {};
  return {negative, exponent, out};
}

inline Wide::Wide(bool negative, uint64_t size) : Wide(rounded(negative, 64, {0, 0, 0, size})) {}

inline Wide::Wide(double value) {
  const auto bits = bit_cast<uint64_t>(value);
  const auto exponent = static_cast<int64_t>(bits >> 52 & 0x7ff);
  const uint64_t hidden = uint64_t{1} << 52, fraction = bits % hidden;
  const bool negative = bits >> 63 != 0;
  if (exponent == 0x7ff) {
    *this = special(fraction == 0 ? Kind::infinite : Kind::nan, negative);
  } else {  // 2^-1074 is the last place of the smallest numbers
    *this = rounded(negative, 64 - 1074 + (exponent == 0 ? 0 : exponent - 1),
                    {0, 0, 0, exponent == 0 ? fraction : fraction | hidden});
  }
}

inline double Wide::to_double() const {
  using Limits = std::numeric_limits<double>;
  if (kind_ == Kind::nan) return Limits::quiet_NaN();
  if (is_zero() || exponent_ < -2000) return 0;
  const double sign = negative_ ? -1 : 1;
  if (kind_ == Kind::infinite || exponent_ > 2000) return sign * Limits::infinity();
  const uint64_t first = limbs_[2] | static_cast<uint64_t>((limbs_[1] | limbs_[0]) != 0);
  return std::ldexp(sign * static_cast<double>(first), static_cast<int>(exponent_ - 64));
}

inline std::array<uint64_t, 3> Wide::fixed() const {
  Limbs out = limbs_;
  const bool lost = limbs::shift_right(out, static_cast<uint64_t>(64 - exponent_));
  if (!negative_) return out;
  if (lost) limbs::add(out, {1, 0, 0});
  Limbs negated{};
  limbs::subtract(negated, out);
  return negated;
}

// ---- comparison --------------------------------------------------------------

inline int Wide::compare_sizes(const Wide& a, const Wide& b) {
  if (a.kind_ != b.kind_) return a.kind_ < b.kind_ ? -1 : 1;
  if (a.is_zero() || b.is_zero()) return b.is_zero() - a.is_zero();
  if (a.exponent_ != b.exponent_) return a.exponent_ < b.exponent_ ? -1 : 1;
  for (size_t i = 3; i-- > 0;)
    if (a.limbs_[i] != b.limbs_[i]) return a.limbs_[i] < b.limbs_[i] ? -1 : 1;
  return 0;
}

inline bool operator==(const Wide& a, const Wide& b) {
  if (a.kind_ == Wide::Kind::nan || Wide::compare_sizes(a, b) != 0) return false;
  return a.negative_ == b.negative_ || a.is_zero();
}

inline bool operator<(const Wide& a, const Wide& b) {
  if (a.kind_ == Wide::Kind::nan || b.kind_ == Wide::Kind::nan || a == b) return false;
  const bool a_below = a.negative_ && !a.is_zero(), b_below = b.negative_ && !b.is_zero();
  if (a_below != b_below) return a_below;
  return a_below ? Wide::compare_sizes(a, b) > 0 : Wide::compare_sizes(a, b) < 0;
}

// ---- sums, products, quotients -----------------------------------------------

inline Wide operator-(Wide a) {
  a.negative_ = !a.negative_;
  return a;
}

inline Wide abs(Wide x) {
  x.negative_ = false;
  return x;
}

inline Wide ldexp(Wide x, int64_t n) {
  x.exponent_ += x.is_zero() ? 0 : n;
  return x;
}

inline Wide operator+(const Wide& a, const Wide& b) {
  using Kind = Wide::Kind;
  if (!isfinite(a) || !isfinite(b)) {
    const bool cancel = a.kind_ == b.kind_ && a.negative_ != b.negative_;
    if (a.kind_ == Kind::nan || b.kind_ == Kind::nan || cancel)
      return Wide::special(Kind::nan, false);
    return isfinite(a) ? b : a;
  }
  if (a.is_zero()) return b;
  if (b.is_zero()) return a;
  if (Wide::compare_sizes(a, b) < 0) return b + a;
  Wide::Guarded sum{0, a.limbs_[0], a.limbs_[1], a.limbs_[2]};
  Wide::Guarded small{0, b.limbs_[0], b.limbs_[1], b.limbs_[2]};
  const bool lost = limbs::shift_right(small, static_cast<uint64_t>(a.exponent_ - b.exponent_));
  small[0] |= static_cast<uint64_t>(lost);
  if (a.negative_ != b.negative_) {
    limbs::subtract(sum, small);
    return Wide::rounded(a.negative_, a.exponent_, sum);
  }
  if (!limbs::add(sum, small)) return Wide::rounded(a.negative_, a.exponent_, sum);
  const bool dropped = limbs::shift_right(sum, 1);
  sum[0] |= static_cast<uint64_t>(dropped), sum[3] |= uint64_t{1} << 63;
  return Wide::rounded(a.negative_, a.exponent_ + 1, sum);
}

inline Wide operator*(const Wide& a, const Wide& b) {
  using Kind = Wide::Kind;
  const bool negative = a.negative_ != b.negative_;
  if (!isfinite(a) || !isfinite(b)) {
    const bool none = a.kind_ == Kind::nan || b.kind_ == Kind::nan || a.is_zero() || b.is_zero();
    return Wide::special(none ? Kind::nan : Kind::infinite, negative);
  }
  std::array<uint64_t, 6> product{};
  for (size_t i = 0; i < 3; ++i) {
    uint64_t carry = 0;
    for (size_t j = 0; j < 3; ++j) {
      const limbs::Twice sum = limbs::Twice{a.limbs_[i]} * b.limbs_[j] + product[i + j] + carry;
      product[i + j] = static_cast<uint64_t>(sum), carry = static_cast<uint64_t>(sum >> 64);
    }
    product[i + 3] = carry;
  }
  const auto further = static_cast<uint64_t>((product[0] | product[1]) != 0);
  return Wide::rounded(negative, a.exponent_ + b.exponent_,
                       {product[2] | further, product[3], product[4], product[5]});
}

inline Wide operator/(const Wide& a, const Wide& b) {
  using Kind = Wide::Kind;
  const bool negative = a.negative_ != b.negative_;
  if (!isfinite(a) || !isfinite(b) || b.is_zero()) {
    const bool both_infinite = !isfinite(a) && !isfinite(b), both_zero = a.is_zero() && b.is_zero();
    if (a.kind_ == Kind::nan || b.kind_ == Kind::nan || both_infinite || both_zero)
      return Wide::special(Kind::nan, false);
    return isfinite(b) ? Wide::special(Kind::infinite, negative) : Wide();
  }
  if (a.is_zero()) return a;
  Wide::Limbs remainder = a.limbs_;
  const bool once = !limbs::subtract(remainder, b.limbs_);  // limbs of a >= limbs of b
  if (!once) remainder = a.limbs_;
  Wide::Guarded quotient{};
  for (size_t i = 4; i-- > 0;) quotient[i] = limbs::divide_step(remainder, b.limbs_);
  bool lost = (remainder[0] | remainder[1] | remainder[2]) != 0;
  if (once) lost |= limbs::shift_right(quotient, 1), quotient[3] |= uint64_t{1} << 63;
  quotient[0] |= static_cast<uint64_t>(lost);
  return Wide::rounded(negative, a.exponent_ - b.exponent_ + once, quotient);
}

}  // namespace posenc
