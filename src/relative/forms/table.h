// table.h: entries of a learned table, and which of its rows a distance reads.
#pragma once

#include <cmath>

#include "relative/forms/heads.h"

namespace posenc::forms {

// The distance or entry itself.
struct Same {
  POSENC_BOTH int64_t row(const double*, int64_t r) const { return r; }
};

// Distances, or their sizes, those too far sharing the last row.
struct Clip {
  int64_t least = 0, most = 0;
  bool symmetric = false;

  POSENC_BOTH int64_t row(const double*, int64_t r) const {
    if (symmetric && r < 0) r = -r;
    return (r < least ? least : r > most ? most : r) - least;
  }
};

// The last bucket that does not begin beyond the distance. Keys after the query have buckets of
// their own, or all share the first.
struct Buckets {
  int64_t first = 0, count = 0;  // where in the block the bounds of one side lie
  bool both_sides = false;

  POSENC_BOTH int64_t row(const double* block, int64_t r) const {
    const auto signed_distance = static_cast<double>(r);
    const double distance = both_sides || r < 0 ? std::abs(signed_distance) : 0;
    int64_t low = 0, high = count;
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      (block[first + middle] <= distance ? low : high) = middle;
    }
    return low + (both_sides && r > 0 ? count : 0);
  }
};

// scale * table[head, row of key - query]; the table comes first in the block.
template <class Rows>
struct BiasTable {
  Rows rows{};
  int64_t head_step = 0, row_step = 0;
  double scale = 1;
  const double* block = nullptr;

  POSENC_BOTH int64_t at(double query, double key, double*) const {
    return rows.row(block, static_cast<int64_t>(key - query)) * row_step;
  }
  POSENC_BOTH double bias(int64_t head, int64_t row) const {
    return scale * block[head * head_step + row];
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, int64_t row, const double* g, const Add& add) const {
    each_head(heads, g, [&](int64_t head, double gh) { add(head * head_step + row, scale * gh); });
  }
};

}  // namespace posenc::forms
