// segment_rows.h: which of two rows the segments of a query and a key read, also in kernels.
#pragma once

#include "base/both.h"
#include "posenc/content/segments.h"

namespace posenc {

struct SegmentRowRule {
  int64_t same = 0;     // the row of the same segment
  int64_t joined = -1;  // one with all, unless it is -1

  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    const bool is_joined = joined >= 0 && (query == joined || key == joined);
    return query == key || is_joined ? same : 1 - same;
  }
};
inline SegmentRowRule segment_rows(const Segments& s) {
  return {s.rows == SegmentRows::same_first ? 0 : 1, s.joined};
}

}  // namespace posenc
