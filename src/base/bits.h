// bits.h: facts about floating-point numbers read from their bits, which no compiler flag changes.
#pragma once

#include <cstdint>

#include "base/both.h"

namespace posenc {

// std::bit_cast, which not every standard library has.
template <class To, class From>
POSENC_BOTH constexpr To bit_cast(const From& x) {
  return __builtin_bit_cast(To, x);
}

inline bool is_finite(double x) { return ((bit_cast<uint64_t>(x) >> 52) & 0x7ff) != 0x7ff; }

}  // namespace posenc
