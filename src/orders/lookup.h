// lookup.h: one row of a trained table among those whose weighted sum is a token's row.
#pragma once

#include "orders/taps.h"

namespace posenc {

// A row that is read, and how much of it; below 0: none, the place is outside.
struct Tap {
  int64_t row = -1;
  double weight = 1;
};

// On one axis: row `place` of table `weight`. On a grid: the tap (tap_y, tap_x) of those around a
// place (y, x), after `prefix` rows of class tokens that stand at y = -1, -2, ...
struct Lookup {
  int weight = 0;                   // which of the scheme's tables
  int64_t rows = 0;                 // of that table
  int64_t column = 0, columns = 0;  // which columns of a token's row it adds to
  int axis = 0;
  bool on_grid = false;
  Resize how = Resize::linear;
  int64_t prefix = 0, height = 0, width = 0;
  int tap_y = 0, tap_x = 0;
  bool zeros = false;  // beyond the grid, where its border is read otherwise

  POSENC_BOTH Tap at_prefix(double y) const {
    const double row = -1 - y;
    if (row >= static_cast<double>(prefix) || row != std::floor(row)) return {};
    return {static_cast<int64_t>(row), tap_y == 0 && tap_x == 0 ? 1.0 : 0.0};
  }
  POSENC_BOTH Tap on_axis(double place) const {
    if (!(place >= 0 && place < static_cast<double>(rows))) return {};
    return {static_cast<int64_t>(place), 1};
  }
  POSENC_BOTH double weight_at(const Taps& taps, int i) const {
    const int64_t row = taps.first + i;
    return zeros && (row < 0 || row >= taps.rows) ? 0 : taps.weight(i);
  }
  // Places may lie up to a row outside of the grid.
  POSENC_BOTH Tap on_sides(double y, double x) const {
    if (y <= -1) return at_prefix(y);
    if (!(y < static_cast<double>(height) && x > -1 && x < static_cast<double>(width))) return {};
    const Taps down = taps_around(how, y, height), across = taps_around(how, x, width);
    return {prefix + down.row(tap_y) * width + across.row(tap_x),
            weight_at(down, tap_y) * weight_at(across, tap_x)};
  }
};

}  // namespace posenc
