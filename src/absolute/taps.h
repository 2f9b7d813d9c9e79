// taps.h: which rows of a table a row of a resized one is made of.
#pragma once

#include <cmath>

#include "base/both.h"
#include "posenc/absolute.h"

namespace posenc {

// Up to four source rows and their weights.
struct Taps {
  int count = 0;
  int64_t row[4] = {};
  double weight[4] = {};
  POSENC_BOTH void add(int64_t r, double w) { row[count] = r, weight[count++] = w; }
};

POSENC_BOTH inline double keys_kernel(double x) {  // Keys 1981, a = -0.75
  constexpr double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

// Row t of `to` rows made of `from` rows.
POSENC_BOTH inline Taps taps_of(Resize how, int64_t t, int64_t from, int64_t to) {
  Taps taps;
  const auto clamp = [&](int64_t r) { return r < 0 ? 0 : r < from ? r : from - 1; };
  const double centre =
      (static_cast<double>(t) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
  if (how == Resize::copy) {
    if (t < from) taps.add(t, 1);
  } else if (how == Resize::repeat) {
    taps.add(t % from, 1);
  } else if (how == Resize::linear) {
    const double s = centre > 0 ? centre : 0;  // torch clamps before it interpolates
    const auto low = static_cast<int64_t>(std::floor(s));
    taps.add(clamp(low), 1 - (s - static_cast<double>(low)));
    taps.add(clamp(low + 1), s - static_cast<double>(low));
  } else {
    const auto low = static_cast<int64_t>(std::floor(centre));
    for (int64_t k = -1; k <= 2; ++k)
      taps.add(clamp(low + k), keys_kernel(centre - static_cast<double>(low + k)));
  }
  return taps;
}

// Row r of a table of which the first `keep` rows stay as they are; rows counted from the first.
POSENC_BOTH inline Taps taps_of(Resize how, int64_t keep, int64_t r, int64_t from, int64_t to) {
  Taps taps;
  if (r < keep) {
    taps.add(r, 1);
  } else {
    taps = taps_of(how, r - keep, from - keep, to - keep);
    for (int i = 0; i < taps.count; ++i) taps.row[i] += keep;
  }
  return taps;
}

}  // namespace posenc
