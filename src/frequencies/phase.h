// phase.h: how far a column has turned at a position.
#pragma once

#include <cmath>

#include "posenc/frequencies.h"

namespace posenc {

inline uint64_t high_product(uint64_t a, uint64_t b) {
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(a) * b) >> 64);
}

// The angle at a whole position, exact to 2^-64 turns.
inline Turn phase(const Frequency& f, int64_t position) {
  const auto p = static_cast<uint64_t>(position);
  return f.hi * p + high_product(f.lo, p) - (position < 0 ? f.lo : 0);
}

// A real position, whole + part / 2^64 + rest / 2^128; what is smaller still turns nothing.
struct WholeAndPart {
  int64_t whole;
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
  const auto turns = static_cast<uint64_t>(f.turns);
  return phase(f, p.whole) + p.part * turns + high_product(p.part, f.hi) +
         high_product(p.rest, turns) - (f.turns < 0 ? p.rest : 0);
}

}  // namespace posenc
