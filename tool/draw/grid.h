// grid.h: a matrix brought down to the number of cells that can be shown.
#pragma once

#include <cstdint>
#include <vector>

#include "draw/plot.h"

namespace posenc::draw {

struct Grid {
  int64_t rows, cols;
  std::vector<double> values;

  bool complete() const;  // no value is missing

  // The value under the middle of pixel [y, x] of a picture of height x width pixels.
  double at(int64_t y, int64_t x, int64_t height, int64_t width) const {
    const int64_t row = (2 * y + 1) * rows / (2 * height), col = (2 * x + 1) * cols / (2 * width);
    return values[static_cast<size_t>(row * cols + col)];
  }
};

// At most rows x cols cells, averages by area along an axis that has more. Missing values do not
// count; a cell without any other is NaN.
Grid average(const Heatmap& map, int64_t rows, int64_t cols);

}  // namespace posenc::draw
