// links.h: which sums over a table's columns belong to which learned number.
#pragma once

#include <cstdint>

namespace posenc::cuda {

// Term t is factor[t] * sum value[t]; entry entry[i] of a weight has terms first[i] up to
// first[i + 1]. Sums are counted column by column: one for the rate on each axis, then one for the
// offset and one for the amplitude.
struct DeviceLinks {
  int64_t targets = 0, terms = 0;
  const int64_t *weight = nullptr, *entry = nullptr, *first = nullptr, *value = nullptr;
  const double* factor = nullptr;
};

}  // namespace posenc::cuda
