// posenc_rope.h: rotary position embeddings (RoPE) in one header without dependencies. C++20.
//
// Made from the sources of posenc 0.1.0 (Apache-2.0) by packaging/rope_header.py: the same
// frequencies, the same length rules (linear, NTK, dynamic NTK, YaRN, LongRoPE, Llama 3, ...),
// exact angles at every position, both layouts. Plain scalar code: copy all of it, or the parts
// that your engine needs.
//
//   posenc_rope::Rope rope{.dim = 128,
//                          .layout = posenc_rope::Layout::half,
//                          .base = 500000,
//                          .scaling = posenc_rope::Llama3{}};
//   posenc_rope::Table table(rope);  // (rope, length) for rules that depend on the text's length
//   std::vector<float> cosine(table.pairs()), sine(table.pairs());
//   table.fill(position, cosine.data(), sine.data());  // at any position
//   table.rotate(head, cosine.data(), sine.data());    // dim floats, in place
//
// Options, lengths and positions that make no sense throw std::invalid_argument, as the library
// refuses them.
#pragma once

// clang-format off

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numbers>
#include <optional>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace posenc_rope {

template <class... Parts>
[[noreturn]] void fail(std::string_view where, const Parts&... parts) {
  std::ostringstream text;
  text << '[' << where << "] ";
  (text << ... << parts);
  throw std::invalid_argument(text.str());
}

// src/base/bits.h: facts about floating-point numbers read from their bits, which no compiler flag changes.




// std::bit_cast, which not every standard library has.
template <class To, class From>
constexpr To bit_cast(const From& x) {
  return __builtin_bit_cast(To, x);
}

inline bool is_finite(double x) { return ((bit_cast<uint64_t>(x) >> 52) & 0x7ff) != 0x7ff; }

// src/frequencies/wide_limbs.h: whole numbers of several 64-bit limbs, the least first.


namespace limbs {

__extension__ using Twice = unsigned __int128;

// limbs >> n; returns whether a bit that was set is lost.
template <class Limbs>
bool shift_right(Limbs& limbs, uint64_t n) {
  const size_t whole = n / 64, size = limbs.size();
  uint64_t lost = whole < size ? limbs[whole] & ((uint64_t{1} << n % 64) - 1) : 0;
  for (size_t i = 0; i < size && i < whole; ++i) lost |= limbs[i];
  for (size_t i = 0; i < size; ++i) {
    const uint64_t low = i + whole < size ? limbs[i + whole] : 0;
    const uint64_t high = i + whole + 1 < size ? limbs[i + whole + 1] : 0;
    limbs[i] = static_cast<uint64_t>((Twice{high} << 64 | low) >> n % 64);
  }
  return lost != 0;
}

template <class Limbs>
void shift_left(Limbs& limbs, uint64_t n) {
  const size_t whole = n / 64;
  for (size_t i = limbs.size(); i-- > 0;) {
    const uint64_t high = i >= whole ? limbs[i - whole] : 0;
    const uint64_t low = i > whole ? limbs[i - whole - 1] : 0;
    limbs[i] = static_cast<uint64_t>((Twice{high} << 64 | low) << n % 64 >> 64);
  }
}

template <class Limbs>
bool add(Limbs& a, const Limbs& b) {  // a += b; returns the carry
  Twice sum = 0;
  for (size_t i = 0; i < a.size(); ++i, sum >>= 64) {
    sum += Twice{a[i]} + b[i];
    a[i] = static_cast<uint64_t>(sum);
  }
  return sum != 0;
}

template <class Limbs>
bool subtract(Limbs& a, const Limbs& b) {  // a -= b; returns the borrow
  bool borrow = false;
  for (size_t i = 0; i < a.size(); ++i) {
    const Twice difference = Twice{a[i]} - b[i] - borrow;
    a[i] = static_cast<uint64_t>(difference), borrow = difference >> 64 != 0;
  }
  return borrow;
}

// floor((high 2^64 + low) / divisor); high < divisor, whose first bit is 1. By halves of a limb:
// not every compiler brings a division of 128 bits.
inline uint64_t divide(uint64_t high, uint64_t low, uint64_t divisor) {
  constexpr uint64_t mask = 0xffffffff;
  uint64_t quotient = 0;
  for (const uint64_t next : {low >> 32, low & mask}) {
    uint64_t digit = high / (divisor >> 32), rest = high % (divisor >> 32);
    while (digit > mask || digit * (divisor & mask) > (rest << 32 | next)) {
      --digit, rest += divisor >> 32;
      if (rest > mask) break;
    }
    high = (high << 32 | next) - digit * divisor;
    quotient = quotient << 32 | digit;
  }
  return quotient;
}

// floor(remainder 2^64 / divisor), and what remains of it; remainder < divisor, whose first bit
// is 1.
inline uint64_t divide_step(std::array<uint64_t, 3>& remainder,
                            const std::array<uint64_t, 3>& divisor) {
  uint64_t digit =
      remainder[2] >= divisor[2] ? ~uint64_t{0} : divide(remainder[2], remainder[1], divisor[2]);
  std::array<uint64_t, 4> rest{0, remainder[0], remainder[1], remainder[2]}, taken{};
  Twice product = 0;
  for (size_t i = 0; i < 3; ++i, product >>= 64) {
    product += Twice{divisor[i]} * digit;
    taken[i] = static_cast<uint64_t>(product);
  }
  taken[3] = static_cast<uint64_t>(product);
  bool over = subtract(rest, taken);
  for (; over; --digit) over = !add(rest, {divisor[0], divisor[1], divisor[2], 0});
  remainder = {rest[0], rest[1], rest[2]};
  return digit;
}

}  // namespace limbs

// src/frequencies/wide_float.h: floating-point numbers of 192 bits, in integer arithmetic, in which frequencies are
// made.
//
// No compiler flag, maths library or platform changes them. Sums, products and quotients are
// rounded to nearest even, an error of at most 2^-192; roots have up to 2 of these, logarithms 4,
// exp(x) 4 + 2 |x| and pow(x, y) 4 + 6 |y ln x|. As with doubles, there are infinities and NaNs.




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

// src/frequencies/wide_functions.h: roots, logarithms and powers of wide numbers.




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

// turns + hi / 2^64 + lo / 2^128 turns per unit of position. Negative: floor, then the fraction.
struct Frequency {
  int64_t turns = 0;
  uint64_t hi = 0, lo = 0;
};

// An angle as a fraction of a turn, in units of 2^-64 turns; it wraps around like an angle.
using Turn = uint64_t;

inline constexpr Turn quarter_turn = Turn{1} << 62;

// src/frequencies/phase.h: how far a column has turned at a position.




inline uint64_t high_product(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

// The angle at a whole position, exact to 2^-64 turns.
inline Turn phase(uint64_t hi, uint64_t lo, int64_t position) {
  const auto p = static_cast<uint64_t>(position);
  return hi * p + high_product(lo, p) - (position < 0 ? lo : 0);
}
inline Turn phase(const Frequency& f, int64_t position) {
  return phase(f.hi, f.lo, position);
}

// A real position, whole + part / 2^64 + rest / 2^128; what is smaller still turns nothing.
struct WholeAndPart {
  int64_t whole = 0;
  uint64_t part = 0, rest = 0;
};
inline WholeAndPart split(double position) {
  const double size = std::abs(position), whole = std::floor(size);
  const double part = (size - whole) * 0x1p64, rest = (part - std::floor(part)) * 0x1p64;
  const WholeAndPart p{static_cast<int64_t>(whole), static_cast<uint64_t>(part),
                       static_cast<uint64_t>(rest)};
  if (position >= 0) return p;
  const uint64_t borrow = p.rest != 0, carry = (p.part | p.rest) != 0;
  return {-p.whole - static_cast<int64_t>(carry), 0 - p.part - borrow, 0 - p.rest};
}

// The angle at a real position, exact to 2^-62 turns.
inline Turn phase(const Frequency& f, const WholeAndPart& p) {
  if ((p.part | p.rest) == 0) return phase(f, p.whole);
  const auto turns = static_cast<uint64_t>(f.turns);
  return phase(f, p.whole) + p.part * turns + high_product(p.part, f.hi) +
         high_product(p.rest, turns) - (f.turns < 0 ? p.rest : 0);
}

// src/frequencies/f32.h: arithmetic of f32 code.



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

inline Frequency frequency(double radians);

// src/frequencies/math.h: the two kinds of numbers length rules are computed in.




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
  static Frequency frequency(const F32& radians) { return posenc_rope::frequency(radians.value()); }
};

inline Frequency from_turns(const Wide& turns) {
  if (!(abs(turns) < 0x1p62))
    fail("frequency", "expected fewer than 2^62 turns per position, got ", turns.to_double());
  const auto [lo, hi, whole] = turns.fixed();
  return {static_cast<int64_t>(whole), hi, lo};
}

inline Frequency frequency(double radians) {
  if (!is_finite(radians)) fail("frequency", "expected a finite number, got ", radians);
  return from_turns(Wide(radians) / wide_two_pi());
}

// include/posenc/rotary/scaling.h: length rules (rope scaling), for texts longer than those in training.
//
// A rule gives three results, separately, because engines disagree on where each of them is
// applied:
//
//   frequencies     of every pair; src/rotary/scaling.h has the formulas
//   cos_sin_factor  multiplies the cosines and sines of q and k, so scores by its square
//   softmax_factor  multiplies the softmax scale; rotate() never applies it
//
// Rules that depend on the length of the text also give the length up to which results are valid.



struct NoScaling {
  static constexpr std::string_view name = "none";
  void check() const {}
};

// Position interpolation (Chen et al., 2023): every frequency / factor.
struct Linear {
  static constexpr std::string_view name = "linear";
  double factor = 1;
  void check() const;
};

// Transformer Engine's interpolation: every frequency / factor up to factor * L0 tokens, beyond
// that / (L / L0) for a text of L tokens. Keys cached while the text was shorter have other
// frequencies: move() them.
struct DynamicLinear {
  static constexpr std::string_view name = "dynamic-linear";
  double factor = 1;
  int64_t pretrained_max_position_embeddings = 2048;
  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const;
  bool is_long(int64_t length) const;
  void check() const;
};

// Gemma 4's full-attention layers: only the first pairs of the whole head are rotated.
struct Proportional {
  static constexpr std::string_view name = "proportional";
  double partial_rotary_factor = 0.25, factor = 1;
  void check() const;
};

// NTK-aware, static: base' = base factor^(D/(D-2)). HunYuan's alpha is this factor.
struct Ntk {
  static constexpr std::string_view name = "ntk";
  double factor = 1;
  void check() const;
};

// Dynamic: for a text of L > L0 tokens, factor L / L0 - (factor - 1) replaces the factor. Keys
// cached while the text was shorter have another base: move() them.
struct DynamicNtk {
  static constexpr std::string_view name = "dynamic";
  double factor = 1;
  int64_t max_position_embeddings = 2048;
  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const {
    return is_long(length) ? length : max_position_embeddings;
  }
  bool is_long(int64_t length) const { return length > max_position_embeddings; }
  void check() const;
};

// vLLM's "ntk": w = (base s)^(-2k/D) / s^(2/D), which changes pair 0 too; with mixed_b,
// w = base^(-2k/D) / exp(a (k+1)^b), a = ln s / (D/2)^b.
struct VllmNtk {
  static constexpr std::string_view name = "vllm-ntk";
  double factor = 1;
  std::optional<double> mixed_b{};
  void check() const;
};

// YaRN (Peng et al., 2023): keeps fast pairs, interpolates slow pairs, with a ramp between, and
// multiplies cosines and sines by g(weight) = 1 + 0.1 weight ln(factor).
struct Yarn {
  static constexpr std::string_view name = "yarn";
  double factor = 1;
  int64_t original_max_position_embeddings = 4096;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor{}, mscale{}, mscale_all_dim{};
  double extrapolation_factor = 1, log_coefficient = 0.1;

  void check() const;
  double magnitude(double weight) const;
  double cos_sin_factor(int64_t) const;
  double softmax_factor() const;  // DeepSeek's models
};

// NTK by parts, YaRN's predecessor: a ramp from linear to NTK, and one from that to unscaled.
struct ByParts {
  static constexpr std::string_view name = "by-parts";
  double factor = 1;
  int64_t original_max_position_embeddings = 2048;
  double beta_0 = 1.25, beta_1 = 0.75, gamma_0 = 16, gamma_1 = 2;

  void check() const;
};

// Llama 3: pairs with many turns within the original length are kept, those with few are divided by
// factor, those between are blended.
struct Llama3 {
  static constexpr std::string_view name = "llama3";
  double factor = 8, low_freq_factor = 1, high_freq_factor = 4;
  int64_t original_max_position_embeddings = 8192;

  void check() const;
};

// LongRoPE (Ding et al., 2024): one set of divisors up to the original length and one beyond. Keys
// cached with the short set do not match queries with the long set: move() them. Magnitude:
// sqrt(1 + ln(factor) / ln(length)).
struct LongRope {
  static constexpr std::string_view name = "longrope";
  std::vector<double> short_factor{}, long_factor{};
  int64_t original_max_position_embeddings = 4096;
  double factor = 1;
  std::optional<double> attention_factor{}, short_mscale{}, long_mscale{};

  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const;
  void check() const;
  void check_pairs(int64_t pairs) const;
  double cos_sin_factor(int64_t length) const;
  bool is_long(int64_t length) const { return length > original_max_position_embeddings; }
};

// The closed list of rules: add the name of a new one here.
using Scaling = std::variant<NoScaling, Linear, DynamicLinear, Ntk, VllmNtk, DynamicNtk, Yarn,
                             ByParts, LongRope, Llama3, Proportional>;

inline void check_finite(std::string_view scheme, std::string_view option, double value) {
  if (!is_finite(value)) fail(scheme, "expected ", option, " to be finite, got ", value);
}

inline void check_positive(std::string_view scheme, std::string_view option, double value) {
  if (!is_finite(value) || value <= 0)
    fail(scheme, "expected ", option, " to be above 0 and finite, got ", value);
}

// src/rotary/scaling.h: the formulas of the length rules.
//
// Each is written for any kind of number (Math): exact plans compute in wide arithmetic, the others
// with the roundings of f32 code. Math::Real holds what differs from pair to pair, Math::Setup what
// is worked out once.




// A number of tokens that a rule is given.
void check_length(std::string_view rule, std::string_view option, int64_t value);

// What a rule is told.
template <class Math>
struct RuleInput {
  int64_t rotary_dim;  // D: features that turn
  typename Math::Setup base, two_pi;
  int64_t length;  // tokens of the text; 0 where it is not known
};

// A slope from 0 for pairs that make more than `fast` turns within `length` positions to 1 for
// those that make fewer than `slow`.
struct Ramp {
  double fast, slow;
  int64_t length;
  bool truncate = true;  // begin and end at whole pairs

  template <class Math>
  auto over(const RuleInput<Math>& in) const {
    using std::ceil, std::floor, std::log;
    using Setup = typename Math::Setup;
    const auto pair_with = [&](double turns) {
      return Setup(in.rotary_dim * log(Setup(length) / (turns * in.two_pi)) / (2 * log(in.base)));
    };
    Setup low = pair_with(fast), high = pair_with(slow);
    if (truncate) low = floor(low), high = ceil(high);
    if (low < 0) low = 0;
    if (high > in.rotary_dim - 1) high = Setup(in.rotary_dim - 1);
    if (low == high) high += 0.001;  // the ends coincide: a step
    using Real = typename Math::Real;
    return [first = Real(low), width = Real(Setup(high - low))](int64_t k) {
      const Real x = (Real(k) - first) / width;
      return x < Real(0) ? Real(0) : x > Real(1) ? Real(1) : x;
    };
  }
};

// The base of NTK-aware scaling: base s^(D/(D-2)) slows the last pair by s and the first not at
// all.
template <class Math>
typename Math::Setup ntk_base(const RuleInput<Math>& in, const typename Math::Setup& s) {
  using std::pow;
  using Setup = typename Math::Setup;
  if (in.rotary_dim <= 2) return in.base;
  return in.base * pow(s, Setup(in.rotary_dim) / (in.rotary_dim - 2));
}

// The base that takes the place of the scheme's.
template <class Math, class Rule>
typename Math::Setup base_of(const Rule&, const RuleInput<Math>& in) {
  return in.base;
}
template <class Math>
typename Math::Setup base_of(const Ntk& rule, const RuleInput<Math>& in) {
  return ntk_base(in, typename Math::Setup(rule.factor));
}
template <class Math>
typename Math::Setup base_of(const DynamicNtk& rule, const RuleInput<Math>& in) {
  using Setup = typename Math::Setup;
  if (!rule.is_long(in.length)) return in.base;
  const Setup factor = rule.factor;
  const Setup s = factor * in.length / rule.max_position_embeddings - (factor - 1);
  if (s <= 0)
    fail(rule.name, "expected scaling.factor that leaves a positive base at ", in.length,
         " tokens, got ", rule.factor);
  return ntk_base(in, s);
}
template <class Math>
typename Math::Setup base_of(const VllmNtk& rule, const RuleInput<Math>& in) {
  return rule.mixed_b ? in.base : typename Math::Setup(in.base * rule.factor);
}

// The frequency of pair k, from its radian period base^(2k/D) = 1 / w_k.
template <class Math, class Rule>
auto scaled(const Rule&, const RuleInput<Math>&) {
  using Real = typename Math::Real;
  return [](int64_t, const Real& period) { return Real(1 / period); };
}
template <class Math>
auto scaled(const Linear& rule, const RuleInput<Math>&) {
  using Real = typename Math::Real;
  return [s = Real(rule.factor)](int64_t, const Real& period) { return Real(1 / period / s); };
}
template <class Math>
auto scaled(const DynamicLinear& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  using Setup = typename Math::Setup;
  const Setup longer = Setup(in.length) / rule.pretrained_max_position_embeddings;
  return [s = Real(rule.is_long(in.length) ? longer : Setup(rule.factor))](
             int64_t, const Real& period) { return Real(1 / period / s); };
}
template <class Math>
auto scaled(const Proportional& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  const double share = rule.partial_rotary_factor * static_cast<double>(in.rotary_dim);
  return [turning = static_cast<int64_t>(share) / 2, s = Real(rule.factor)](
             int64_t k, const Real& period) { return k < turning ? 1 / period / s : Real(0); };
}
template <class Math>
auto scaled(const LongRope& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  return [divisors = rule.is_long(in.length) ? rule.long_factor : rule.short_factor](
             int64_t k, const Real& period) {
    return Real(1 / (Real(divisors[static_cast<size_t>(k)]) * period));
  };
}
template <class Math>
auto scaled(const VllmNtk& rule, const RuleInput<Math>& in) {
  using std::exp, std::log, std::pow;
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Setup half = Setup(in.rotary_dim) / 2, s = rule.factor;
  const Setup b = rule.mixed_b.value_or(0), slope = log(s) / pow(half, b);
  const Real all = rule.mixed_b ? Real(1) : Real(Setup(pow(s, 1 / half)));
  return [all, b, slope, mixed = rule.mixed_b.has_value()](int64_t k, const Real& period) {
    return mixed ? Real(1 / period / Real(Setup(exp(slope * pow(Setup(k + 1), b)))))
                 : Real(1 / period / all);
  };
}
template <class Math>
auto scaled(const Yarn& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  const Ramp ramp{rule.beta_fast, rule.beta_slow, rule.original_max_position_embeddings,
                  rule.truncate};
  return [slow = ramp.over(in), s = Real(rule.factor), all = Real(rule.extrapolation_factor)](
             int64_t k, const Real& period) {
    const Real keep = (1 - slow(k)) * all;
    return Real(1 / (s * period) * (1 - keep) + 1 / period * keep);
  };
}
template <class Math>
auto scaled(const ByParts& rule, const RuleInput<Math>& in) {
  using std::pow;
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Ramp to_linear{rule.beta_0, rule.beta_1, rule.original_max_position_embeddings};
  const Ramp to_scaled{rule.gamma_0, rule.gamma_1, rule.original_max_position_embeddings};
  return [linear = to_linear.over(in), part = to_scaled.over(in), s = Real(rule.factor),
          base = ntk_base(in, Setup(rule.factor)),
          dim = in.rotary_dim](int64_t k, const Real& period) {
    const Real ntk = 1 / Real(Setup(pow(base, Setup(2 * k) / dim)));
    const Real scaled = 1 / (s * period) * linear(k) + ntk * (1 - linear(k));
    return Real(scaled * part(k) + 1 / period * (1 - part(k)));
  };
}
template <class Math>
auto scaled(const Llama3& rule, const RuleInput<Math>& in) {
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Setup length = rule.original_max_position_embeddings;
  return [s = Real(rule.factor), low = Real(rule.low_freq_factor), two_pi = Real(in.two_pi),
          longest = Real(Setup(length / rule.low_freq_factor)),
          shortest = Real(Setup(length / rule.high_freq_factor)), all = Real(length),
          width = Real(rule.high_freq_factor - rule.low_freq_factor)](int64_t, const Real& period) {
    const Real f = 1 / period, wavelength = two_pi / f;
    if (wavelength < shortest) return Real(f);
    if (wavelength > longest || width == Real(0)) return Real(f / s);
    const Real keep = (all / wavelength - low) / width;
    return Real((1 - keep) * f / s + keep * f);
  };
}

inline void check_length(std::string_view rule, std::string_view option, int64_t value) {
  if (value < 1 || value > int64_t{1} << 53)
    fail(rule, "expected ", option, " from 1 to 2^53, got ", value);
}

inline void Linear::check() const { check_positive(name, "scaling.factor", factor); }

inline bool DynamicLinear::is_long(int64_t length) const {
  return static_cast<double>(length) >
         factor * static_cast<double>(pretrained_max_position_embeddings);
}

inline int64_t DynamicLinear::serves(int64_t length) const {
  if (is_long(length)) return length;
  const double end = factor * static_cast<double>(pretrained_max_position_embeddings);
  return end < 0x1p62 ? static_cast<int64_t>(end) : INT64_MAX;
}

inline void DynamicLinear::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.pretrained_max_position_embeddings",
               pretrained_max_position_embeddings);
}

inline void Proportional::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.partial_rotary_factor", partial_rotary_factor);
  if (partial_rotary_factor > 1)
    fail(name, "expected scaling.partial_rotary_factor of at most 1, got ", partial_rotary_factor);
}

inline void Ntk::check() const { check_positive(name, "scaling.factor", factor); }

inline void DynamicNtk::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.max_position_embeddings", max_position_embeddings);
}

inline void VllmNtk::check() const {
  check_positive(name, "scaling.factor", factor);
  if (mixed_b) check_finite(name, "scaling.mixed_b", *mixed_b);
}

inline void Yarn::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.beta_slow", beta_slow);
  check_finite(name, "scaling.beta_fast", beta_fast);
  if (beta_fast < beta_slow)
    fail(name, "expected scaling.beta_fast of at least beta_slow ", beta_slow, ", got ", beta_fast);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
  if (attention_factor) check_positive(name, "scaling.attention_factor", *attention_factor);
  if (mscale) check_finite(name, "scaling.mscale", *mscale);
  if (mscale_all_dim) check_finite(name, "scaling.mscale_all_dim", *mscale_all_dim);
  check_finite(name, "scaling.extrapolation_factor", extrapolation_factor);
  check_finite(name, "scaling.log_coefficient", log_coefficient);
  check_positive(name, "scaling.mscale and log_coefficient with a magnitude", magnitude(1));
  check_positive(name, "magnitude of scaling.mscale", magnitude(mscale.value_or(0)));
  check_positive(name, "magnitude of scaling.mscale_all_dim",
                 magnitude(mscale_all_dim.value_or(0)));
}

inline double Yarn::magnitude(double weight) const {
  if (factor <= 1) return 1;
  return std::fma(log_coefficient * weight, std::log(factor), 1.0);  // some would fuse it, some not
}

inline double Yarn::cos_sin_factor(int64_t) const {
  if (attention_factor) return *attention_factor;
  if (mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0)
    return magnitude(*mscale) / magnitude(*mscale_all_dim);
  return magnitude(1);
}

inline double Yarn::softmax_factor() const {
  const double g = magnitude(mscale_all_dim.value_or(0));
  return g * g;
}

inline void ByParts::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.beta_1", beta_1);
  check_positive(name, "scaling.gamma_1", gamma_1);
  check_finite(name, "scaling.beta_0", beta_0);
  check_finite(name, "scaling.gamma_0", gamma_0);
  if (beta_0 < beta_1 || gamma_0 < gamma_1)
    fail(name, "expected scaling.beta_0 >= beta_1 and gamma_0 >= gamma_1, got ", beta_0, ", ",
         beta_1, ", ", gamma_0, " and ", gamma_1);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
}

inline void Llama3::check() const {
  check_positive(name, "scaling.factor", factor);
  check_positive(name, "scaling.low_freq_factor", low_freq_factor);
  check_finite(name, "scaling.high_freq_factor", high_freq_factor);
  if (high_freq_factor < low_freq_factor)
    fail(name, "expected scaling.high_freq_factor of at least low_freq_factor ", low_freq_factor,
         ", got ", high_freq_factor);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
}

inline int64_t LongRope::serves(int64_t length) const {
  return is_long(length) ? INT64_MAX : original_max_position_embeddings;
}

inline void LongRope::check() const {
  check_positive(name, "scaling.factor", factor);
  check_length(name, "scaling.original_max_position_embeddings", original_max_position_embeddings);
  if (original_max_position_embeddings < 2)
    fail(name, "expected scaling.original_max_position_embeddings of at least 2, got 1");
  for (const double f : short_factor) check_positive(name, "scaling.short_factor", f);
  for (const double f : long_factor) check_positive(name, "scaling.long_factor", f);
  for (const auto& given : {attention_factor, short_mscale, long_mscale})
    if (given) check_positive(name, "scaling.attention_factor, short_mscale, long_mscale", *given);
}

inline void LongRope::check_pairs(int64_t pairs) const {
  if (std::ssize(short_factor) != pairs || std::ssize(long_factor) != pairs)
    fail(name, "expected ", pairs, " short and long factors, one for each pair, got ",
         short_factor.size(), " and ", long_factor.size());
}

inline double LongRope::cos_sin_factor(int64_t length) const {
  const auto& mscale = is_long(length) ? long_mscale : short_mscale;
  if (mscale) return *mscale;
  if (attention_factor) return *attention_factor;
  const auto original = static_cast<double>(original_max_position_embeddings);
  return factor <= 1 ? 1 : std::sqrt(1 + std::log(factor) / std::log(original));
}

inline constexpr int64_t max_pairs = 256;  // that a head may turn

// 1, base^(1 / count), base^(2 / count), ..., by one power and products.
class Powers {
 public:
  Powers(Wide base, int64_t count) : step_(pow(base, 1 / Wide(count))) {}
  Wide next() {
    const Wide power = power_;
    power_ *= step_;
    return power;
  }

 private:
  Wide step_, power_ = 1;
};

enum class Layout {
  half,         // pair k is features k and k + pairs: Hugging Face, GPT-NeoX
  interleaved,  // features 2k and 2k + 1: GPT-J, Meta's Llama
};

// The length of the longest text that has the frequencies of one of `length` tokens.
inline int64_t served_by(const Scaling& scaling, int64_t length) {
  if (length < 0) fail("rope", "expected a length of the text of at least 0, got ", length);
  return std::visit(
      [&](const auto& rule) {
        rule.check();
        if constexpr (requires { rule.serves(length); }) {
          if (length == 0)
            fail("rope", "expected the length of the text, which scaling ", rule.name, " depends on, got ", length);
          return rule.serves(length);
        }
        return INT64_MAX;
      },
      scaling);
}

struct Rope {
  int64_t dim = 128;               // features that turn, even
  std::optional<Layout> layout{};  // no default: must be given
  double base = 10000;             // rope_theta
  Scaling scaling{};
  bool f32_frequencies = false;  // rounded as models are trained with them

  void check() const {
    if (dim < 2 || dim > 2 * max_pairs || dim % 2 != 0)
      fail("rope", "expected dim, the features that rotate, even and from 2 to ", 2 * max_pairs, ", got ", dim);
    if (!layout) fail("rope", "expected layout half or interleaved, got none: it cannot be guessed");
    check_positive("rope", "base", base);
    if (base > 1e30) fail("rope", "expected base of at most 1e30, got ", base);
    std::visit([](const auto& rule) { rule.check(); }, scaling);
    const bool any_base = std::holds_alternative<NoScaling>(scaling) || std::holds_alternative<Linear>(scaling);
    const auto rule = std::visit([](const auto& r) { return r.name; }, scaling);
    if (!any_base && !(base > 1)) fail("rope", "expected base above 1 for scaling ", rule, ", got ", base);
    if (const auto* longrope = std::get_if<LongRope>(&scaling)) longrope->check_pairs(dim / 2);
  }
};

// Radians per position of every pair, as fractions of a turn; length: of the text, where the rule asks for it.
inline std::vector<Frequency> frequencies(const Rope& rope, int64_t length = 0) {
  rope.check();
  served_by(rope.scaling, length);
  const int64_t pairs = rope.dim / 2;
  std::vector<Frequency> out;
  std::visit(
      [&](const auto& rule) {
        if (rope.f32_frequencies) {
          RuleInput<Torch> in{rope.dim, rope.base, Torch::two_pi(), length};
          in.base = base_of(rule, in);
          const auto to_frequency = scaled(rule, in);
          for (int64_t k = 0; k < pairs; ++k) {
            const F32 exponent = F32(static_cast<double>(k)) / static_cast<double>(pairs);
            out.push_back(Torch::frequency(to_frequency(k, power(F32(in.base), exponent))));
          }
        } else {
          RuleInput<Exact> in{rope.dim, rope.base, Exact::two_pi(), length};
          in.base = base_of(rule, in);
          const auto to_frequency = scaled(rule, in);
          Powers powers(in.base, pairs);
          for (int64_t k = 0; k < pairs; ++k)
            out.push_back(Exact::frequency(to_frequency(k, powers.next())));
        }
      },
      rope.scaling);
  return out;
}

// What cosines and sines are multiplied by (YaRN, LongRoPE), and what the scale of the softmax is (DeepSeek's YaRN).
inline double cos_sin_factor(const Scaling& scaling, int64_t length = 0) {
  served_by(scaling, length);
  if (const auto* yarn = std::get_if<Yarn>(&scaling)) return yarn->cos_sin_factor(length);
  if (const auto* rule = std::get_if<LongRope>(&scaling)) return rule->cos_sin_factor(length);
  return 1;
}
inline double softmax_factor(const Scaling& scaling) {
  std::visit([](const auto& rule) { rule.check(); }, scaling);
  const auto* yarn = std::get_if<Yarn>(&scaling);
  return yarn ? yarn->softmax_factor() : 1;
}

// sin(2 pi phase), within 4e-16.
inline double sine_of(Turn phase) {
  constexpr double c[] = {2.7314368769379893e-15, -7.643969663988074e-13, 1.6058977292642743e-10, -2.505210761669045e-08, 2.7557319219160833e-06, -0.00019841269841254966, 0.008333333333333316, -0.16666666666666666};
  const bool far = static_cast<int64_t>(phase + quarter_turn) < 0;  // more than a quarter away from 0
  const auto folded = static_cast<int64_t>(far ? (Turn{1} << 63) - phase : phase);
  const double x = static_cast<double>(folded) * (6.283185307179586477 * 0x1p-64), z = x * x;
  double p = c[0];
  for (int i = 1; i < 8; ++i) p = std::fma(p, z, c[i]);
  return std::fma(x * z, p, x);
}

class Table {
 public:
  explicit Table(const Rope& rope, int64_t length = 0)
      : frequencies_(frequencies(rope, length)),
        layout_(*rope.layout),
        factor_(posenc_rope::cos_sin_factor(rope.scaling, length)),
        end_(served_by(rope.scaling, length)) {}

  int64_t pairs() const { return static_cast<int64_t>(frequencies_.size()); }

  // Of float or double; a position is an integer or a double.
  template <class T>
  void fill(std::integral auto position, T* cosine, T* sine) const {
    constexpr int64_t far = int64_t{1} << 62;
    if (std::cmp_less(position, -far) || std::cmp_greater(position, far))
      fail("rope", "expected positions within 2^62, got ", position);
    fill_row(position, WholeAndPart{static_cast<int64_t>(position)}, cosine, sine);
  }
  template <class T>
  void fill(double position, T* cosine, T* sine) const {
    if (!is_finite(position) || position < -0x1p62 || position > 0x1p62)
      fail("rope", "expected finite positions within 2^62, got ", position);
    fill_row(position, split(position), cosine, sine);
  }

  template <class T>
  void rotate(T* head, const T* cosine, const T* sine) const {
    const size_t pairs = frequencies_.size();
    const bool half = layout_ == Layout::half;
    for (size_t k = 0; k < pairs; ++k) {
      T &a = head[half ? k : 2 * k], &b = head[half ? k + pairs : 2 * k + 1];
      const T x = a, y = b;
      a = std::fma(-y, sine[k], x * cosine[k]);
      b = std::fma(x, sine[k], y * cosine[k]);
    }
  }

 private:
  template <class T>
  void fill_row(auto given, WholeAndPart position, T* cosine, T* sine) const {
    if (position.whole >= end_)
      fail("rope", "expected positions below ", end_,
           " of this table, whose frequencies depend on the length of the text, got ", given);
    for (size_t k = 0; k < frequencies_.size(); ++k) {
      const Turn angle = phase(frequencies_[k], position);
      cosine[k] = static_cast<T>(sine_of(angle + quarter_turn) * factor_);
      sine[k] = static_cast<T>(sine_of(angle) * factor_);
    }
  }
  std::vector<Frequency> frequencies_;
  Layout layout_;
  double factor_;
  int64_t end_;  // positions from here on are those of a longer text
};

}  // namespace posenc_rope
