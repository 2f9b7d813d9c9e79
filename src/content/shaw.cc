// shaw.cc: which row of the table a distance reads.
#include "posenc/content/shaw.h"

#include <algorithm>

namespace posenc {

void Shaw::check() const {
  check_size(name, "dim", dim);
  if (heads != 0) check_size(name, "heads", heads);
  for (const int64_t reach : {left, right})
    if (reach < 0 || reach >= max_size)
      fail(name, "expected left and right from 0 to ", max_size - 1, ", got ", reach);
}

int64_t Shaw::row(int64_t distance) const {
  const bool inside = -left <= distance && distance <= right;
  if (!inside && beyond == Beyond::zero) return -1;
  const int64_t near = std::clamp(distance, -left, right);
  return order == RowOrder::key_minus_query ? near + left : right - near;
}

}  // namespace posenc
