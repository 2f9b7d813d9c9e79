// counted.h: positions that count gates, and the rows of a table read there, on the CPU and in
// kernels.
#pragma once

#include <cmath>
#include <cstdint>

#include "base/both.h"

namespace posenc {

// The position of a key is the sum of the gates of scores from it on; the table, [positions, dim],
// is the only weight.
struct CountedRows {
  int64_t positions = 1, dim = 0;
  double soft = 0;
  bool scaled = true;  // gates read scores times the scale that follows

  POSENC_BOTH double gate_factor(double scale) const { return scaled ? scale : 1; }
  POSENC_BOTH static double gate(double score, double factor) {
    return 1 / (1 + std::exp(-factor * score));
  }
  POSENC_BOTH bool is_inside(double p) const { return p < static_cast<double>(positions - 1); }

  // f(row, its share, the derivative of that by p) for all rows that are read at p; the last one
  // from there on, and for NaN.
  template <class F>
  POSENC_BOTH void each(double p, const F& f) const {
    if (soft > 0) return each_softly(p, f);
    if (!is_inside(p)) return f(positions - 1, 1.0, 0.0);
    const double low = std::floor(p), w = p - low;
    const auto row = static_cast<int64_t>(low);
    f(row, 1 - w, w > 0 ? -1.0 : 0.0);
    if (w > 0) f(row + 1, w, 1.0);
  }

 private:
  // softmax(-|p - n| / soft), beginning from the nearest row, and its derivative.
  template <class F>
  POSENC_BOTH void each_softly(double p, const F& f) const {
    const bool inside = is_inside(p);
    const double at = inside ? p : static_cast<double>(positions - 1);
    const double nearest = std::abs(at - std::floor(at + 0.5));
    const auto weight = [&](int64_t n) {
      return std::exp((nearest - std::abs(at - static_cast<double>(n))) / soft);
    };
    const auto slope = [&](int64_t n) {
      const auto row = static_cast<double>(n);
      return at > row ? -1 / soft : at < row ? 1 / soft : 0.0;
    };
    double sum = 0, slopes = 0;
    for (int64_t n = 0; n < positions; ++n) sum += weight(n), slopes += weight(n) * slope(n);
    for (int64_t n = 0; n < positions; ++n) {
      const double share = weight(n) / sum;
      f(n, share, inside ? share * (slope(n) - slopes / sum) : 0.0);
    }
  }
};

}  // namespace posenc
