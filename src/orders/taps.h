// taps.h: which rows of a table a row of a resized one is made of, on one axis.
#pragma once

#include <cmath>

#include "base/both.h"
#include "posenc/absolute/resize.h"

namespace posenc {

// Keys 1981: cubic pieces that pass through the points, a the slope at distance 1.
POSENC_BOTH inline double keys_kernel(double x, double a) {
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}
POSENC_BOTH inline double hat_kernel(double x) {
  x = std::abs(x);
  return x < 1 ? 1 - x : 0;
}

POSENC_BOTH inline bool is_cubic(Resize how) {
  return how == Resize::cubic || how == Resize::cubic_antialias || how == Resize::cubic_corners;
}
POSENC_BOTH inline bool has_antialias(Resize how) {
  return how == Resize::linear_antialias || how == Resize::cubic_antialias;
}
POSENC_BOTH inline bool has_corners(Resize how) {
  return how == Resize::linear_corners || how == Resize::cubic_corners;
}

// Rows first, first + 1, ... of a table, those beyond its ends at the ends, each with a weight.
struct Taps {
  int64_t rows = 0, first = 0, count = 0;
  Resize how = Resize::copy;
  double centre = 0, stretch = 1, factor = 1;

  POSENC_BOTH int64_t row(int64_t i) const {
    const int64_t r = first + i;
    return r < 0 ? 0 : r < rows ? r : rows - 1;
  }
  POSENC_BOTH double weight(int64_t i) const {
    if (how == Resize::copy || how == Resize::repeat) return 1;
    const double x = (centre - static_cast<double>(first + i)) / stretch;
    if (!is_cubic(how)) return factor * hat_kernel(x);
    return factor * keys_kernel(x, has_antialias(how) ? -0.5 : -0.75);
  }
  // Of all taps on one row.
  POSENC_BOTH double weight_of(int64_t r) const {
    double sum = 0;
    for (int64_t i = 0; i < count; ++i)
      if (row(i) == r) sum += weight(i);
    return sum;
  }
};

// The taps around a place between rows: two or four.
POSENC_BOTH inline Taps taps_around(Resize how, double centre, int64_t rows) {
  Taps taps;
  taps.rows = rows, taps.how = how, taps.centre = centre;
  taps.first = static_cast<int64_t>(std::floor(centre)) - (is_cubic(how) ? 1 : 0);
  taps.count = is_cubic(how) ? 4 : 2;
  return taps;
}

// Where row t of `to` rows lies among `from` rows.
POSENC_BOTH inline double place_of(Resize how, int64_t t, int64_t from, int64_t to) {
  const auto at = static_cast<double>(t), n = static_cast<double>(from),
             m = static_cast<double>(to);
  if (has_corners(how)) return to > 1 ? at * (n - 1) / (m - 1) : 0;
  return (at + 0.5) * n / m - 0.5;
}

// Row t of `to` rows made of `from` rows. Where a kernel is stretched, to average what lies
// between two rows, torch leaves out what would lie beyond the ends and makes up for it.
POSENC_BOTH inline Taps taps_of(Resize how, int64_t t, int64_t from, int64_t to) {
  if (how == Resize::copy || how == Resize::repeat) {
    Taps taps;
    taps.rows = from, taps.how = how;
    taps.first = how == Resize::copy ? t : t % from;
    taps.count = taps.first < from ? 1 : 0;
    return taps;
  }
  Taps taps = taps_around(how, place_of(how, t, from, to), from);
  if (!has_antialias(how)) return taps;
  taps.stretch = from > to ? static_cast<double>(from) / static_cast<double>(to) : 1;
  const double reach = (is_cubic(how) ? 2 : 1) * taps.stretch;
  const double low = taps.centre + 1 - reach, high = taps.centre + 1 + reach;
  taps.first = low > 0 ? static_cast<int64_t>(low) : 0;
  taps.count = (high < static_cast<double>(from) ? static_cast<int64_t>(high) : from) - taps.first;
  double sum = 0;
  for (int64_t i = 0; i < taps.count; ++i) sum += taps.weight(i);
  taps.factor = 1 / sum;
  return taps;
}

// The other way: the rows of the resized table that row r is a part of, and how much of it.
struct Touched {
  Resize how = Resize::copy;
  int64_t r = 0, from = 0, to = 0, first = 0, count = 0;

  POSENC_BOTH int64_t row(int64_t i) const { return first + i; }
  POSENC_BOTH double weight(int64_t i) const {
    return taps_of(how, first + i, from, to).weight_of(r);
  }
};

POSENC_BOTH inline Touched touched_by(Resize how, int64_t r, int64_t from, int64_t to) {
  Touched out;
  out.how = how, out.r = r, out.from = from, out.to = to, out.count = to;
  if (how == Resize::repeat || from == 1) return out;
  if (how == Resize::copy) {
    out.first = r, out.count = r < to ? 1 : 0;
    return out;
  }
  // A place among rows, turned round; a row too many on either side weighs nothing.
  const auto n = static_cast<double>(from), m = static_cast<double>(to);
  const double step = has_corners(how) ? (m - 1) / (n - 1) : m / n;
  const double shift = has_corners(how) ? 0 : 0.5;
  const double reach = 3 * (has_antialias(how) && from > to ? n / m : 1);
  const double low = (static_cast<double>(r) - reach + shift) * step - shift;
  const double high = (static_cast<double>(r) + reach + shift) * step - shift;
  const int64_t first = r == 0 || low < 0 ? 0 : static_cast<int64_t>(low);
  const int64_t last = r == from - 1 || high >= m - 1 ? to - 1 : static_cast<int64_t>(high) + 1;
  out.first = first, out.count = last - first + 1;
  return out;
}

}  // namespace posenc
