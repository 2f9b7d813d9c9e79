// reordering.h: where each feature of a head comes from when its pair layout changes.
#pragma once

#include <cstdint>

#include "base/both.h"

namespace posenc {

// `pairs` of each block, from feature `first` on; a layout is interleaved or in halves.
struct Reordering {
  int64_t first = 0, pairs = 0, blocks = 1;
  bool from_interleaved = false, to_interleaved = false;

  // Which feature becomes feature f.
  POSENC_BOTH int64_t source(int64_t f) const {
    const int64_t at = f - first;
    if (at < 0 || at >= 2 * pairs * blocks) return f;
    const int64_t i = at % (2 * pairs);
    const int64_t k = to_interleaved ? i / 2 : i % pairs, half = to_interleaved ? i % 2 : i / pairs;
    return f - i + (from_interleaved ? 2 * k + half : half * pairs + k);
  }
};

}  // namespace posenc
