// axis.h: an Axis whose ends are known, and where a value falls on it.
#pragma once

#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "draw/plot.h"

namespace posenc::draw {

// False for NaN, infinities and numbers so large that sums of them could overflow; on a log axis
// also for what is not clearly positive.
inline bool drawable(double value, bool log = false) {
  return log ? value >= 1e-100 && value <= 1e100 : std::abs(value) <= 1e200;
}

// The smallest and largest drawable value; low > high when there is none.
struct Range {
  double low = 1, high = -1;
  bool empty() const { return low > high; }
  void add(std::span<const double> values, bool log = false);
};

// Ends that are far enough apart to draw; 0 and 1 for an empty range.
Range widened(Range range);

// Both ends of the colours of a heat map.
Range colour_ends(const Heatmap& map);
// Width of its area for a height of 1; 0: any.
double aspect_of(const Heatmap& map);
// As far from 0 on both sides where there are numbers on both.
Range colour_ends(const Network& network);

struct Ruler {
  std::string label;
  double from = 0, to = 1;
  bool log = false;
  double smallest_step = 0;  // ticks are never closer

  // 0 at `from`, 1 at `to`, within -100 and 100; NaN when the value has no place.
  double at(double value) const;
};

// A fitted axis gets `padding` times its length more at both ends.
Ruler make_ruler(std::string_view where, const Axis& axis, Range data, double padding);

// An axis of `cells` equal cells, from the outer edge of the first to that of the last.
Ruler make_cell_ruler(std::string_view where, const Axis& axis, int64_t cells);

}  // namespace posenc::draw
