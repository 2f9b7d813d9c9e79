// heads.h: some heads, one after the other.
#pragma once

#include <cstdint>

#include "base/both.h"

namespace posenc {

struct HeadRange {
  int64_t first, count;
};

// Calls f(head, its g) where that is not 0.
template <class F>
POSENC_BOTH void each_head(HeadRange heads, const double* g, const F& f) {
  for (int64_t i = 0; i < heads.count; ++i)
    if (g[i] != 0) f(heads.first + i, g[i]);
}

}  // namespace posenc
