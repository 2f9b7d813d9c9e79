// phase.h: how far a column has turned at a position.
#pragma once

#include <cmath>

#include "base/both.h"
#include "posenc/frequencies.h"

namespace posenc {

POSENC_BOTH inline uint64_t high_product(uint64_t a, uint64_t b) {
#ifdef __CUDA_ARCH__
  return __umul64hi(a, b);
#else
  __extension__ using Wide = unsigned __int128;
  return static_cast<uint64_t>((static_cast<Wide>(a) * b) >> 64);
#endif
}

// The angle at a whole position, exact to 2^-64 turns.
POSENC_BOTH inline Turn phase(uint64_t hi, uint64_t lo, int64_t position) {
  const auto p = static_cast<uint64_t>(position);
  return hi * p + high_product(lo, p) - (position < 0 ? lo : 0);
}
POSENC_BOTH inline Turn phase(const Frequency& f, int64_t position) {
  return phase(f.hi, f.lo, position);
}

// A real position, whole + part / 2^64 + rest / 2^128; what is smaller still turns nothing.
struct WholeAndPart {
  int64_t whole = 0;
  uint64_t part = 0, rest = 0;
};
POSENC_BOTH inline WholeAndPart split(double position) {
  const double size = std::abs(position), whole = std::floor(size);
  const double part = (size - whole) * 0x1p64, rest = (part - std::floor(part)) * 0x1p64;
  const WholeAndPart p{static_cast<int64_t>(whole), static_cast<uint64_t>(part),
                       static_cast<uint64_t>(rest)};
  if (position >= 0) return p;
  const uint64_t borrow = p.rest != 0, carry = (p.part | p.rest) != 0;
  return {-p.whole - static_cast<int64_t>(carry), 0 - p.part - borrow, 0 - p.rest};
}

// The angle at a real position, exact to 2^-62 turns.
POSENC_BOTH inline Turn phase(const Frequency& f, const WholeAndPart& p) {
  if ((p.part | p.rest) == 0) return phase(f, p.whole);
  const auto turns = static_cast<uint64_t>(f.turns);
  return phase(f, p.whole) + p.part * turns + high_product(p.part, f.hi) +
         high_product(p.rest, turns) - (f.turns < 0 ? p.rest : 0);
}

}  // namespace posenc
