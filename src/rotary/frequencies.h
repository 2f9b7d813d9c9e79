// frequencies.h: the frequency of every pair of a rotary scheme.
#pragma once

#include "posenc/rotary/rope.h"

namespace posenc {

// For texts of `length` tokens, after the length rule; none when they are learned.
std::vector<Frequency> pair_frequencies(const Rope& rope, int64_t length);

}  // namespace posenc
