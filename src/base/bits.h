// bits.h: facts about floating-point numbers read from their bits, which no compiler flag changes.
#pragma once

#include <bit>
#include <cstdint>

namespace posenc {

inline bool is_finite(double x) { return ((std::bit_cast<uint64_t>(x) >> 52) & 0x7ff) != 0x7ff; }

}  // namespace posenc
