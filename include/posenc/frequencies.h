// frequencies.h: the frequency of a column.
//
// A frequency is stored as a fraction of a turn in 128-bit fixed point, so position x frequency
// is reduced modulo one turn exactly and no error grows with the position. With a double the error
// would be 1e-7 radians at position 2^31. Frequencies are computed in wide integer-based
// arithmetic, so they do not depend on compiler flags, maths library or platform.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>
#include "posenc/type.h"

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// turns + hi / 2^64 + lo / 2^128 turns per unit of position. Negative: floor, then the fraction.
struct Frequency {
  int64_t turns = 0;
  uint64_t hi = 0, lo = 0;
};

// An angle as a fraction of a turn, in units of 2^-64 turns; it wraps around like an angle.
using Turn = uint64_t;
inline constexpr Turn quarter_turn = Turn{1} << 62;

enum class Unit : uint8_t { radians, degrees, turns };
constexpr auto enum_names(Unit) { return names({"radians", "degrees", "turns"}); }

// A frequency per unit of position; the double is taken as an exact value.
Frequency frequency(double value, Unit unit = Unit::radians);
// base^(-k numerator / denominator) radians, k = 0 .. count - 1. A base above / below is a ratio.
struct Base {
  double above, below = 1;
};
std::vector<Frequency> geometric(int64_t count, Base base, int64_t numerator, int64_t denominator);
// From `from` to `to` in equal steps.
std::vector<Frequency> linear(int64_t count, double from, double to, Unit unit);
// sqrt(dim)^(-sqrt(dim) k / (dim - 1)) radians, k = 0 .. dim - 1.
std::vector<Frequency> geometric_root(int64_t dim);
Frequency operator*(const Frequency& f, double factor);
double radians(const Frequency& f);

// How frequencies and their products with positions are rounded.
enum class Numerics : uint8_t {
  exact,            // not at all: the exact formula
  f32_frequencies,  // frequencies in f32, as in training; exact product
  torch_f32,        // frequencies and product in f32, as in usual code
};
constexpr auto enum_names(Numerics) { return names({"exact", "f32-frequencies", "torch-f32"}); }
// The order in which f32 code computes the exponent of base^(-k/n).
enum class Exponent : uint8_t {
  slope_first,    // k * (log(base) / n): tensor2tensor, fairseq, Whisper, the tutorials
  product_first,  // (k * log(base)) / n: diffusers
};
constexpr auto enum_names(Exponent) { return names({"slope-first", "product-first"}); }
// base^(-k numerator / denominator) as PyTorch code computes it in f32: every step rounded.
std::vector<Frequency> geometric_f32(int64_t count, Base base, int64_t numerator,
                                     int64_t denominator, Exponent order);
Frequency rounded_to_f32(const Frequency& f);  // its radians

}  // namespace posenc
