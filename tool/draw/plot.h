// plot.h: heat maps, line plots and networks as pictures. Knows numbers and labels only.
//
// Values that are NaN, infinite or beyond 1e200 count as missing: a grey cell, a gap in a curve.
// Labels are UTF-8; what does not fit is shortened.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace posenc::draw {

// With min == max the ends are fitted to the data; min > max runs backwards.
struct Axis {
  std::string label{};
  double min = 0, max = 0;
  bool log = false;
};

// Row 0 is at the top. The first and last column are centred on x.min and x.max, the first and
// last row on y.min and y.max; fitted ends are 0 and the last index.
struct Heatmap {
  std::string title{}, note{};
  Axis x{}, y{};
  int64_t rows = 0, cols = 0;
  std::vector<double> values{};  // [rows, cols]
  double low = -1, high = 1;     // ends of the colour scale, equal ends are fitted to the data;
                                 // diverging around white at 0 when low < 0 < high
  std::string scale_label{};
  bool square = false;  // cells are as wide as they are high
};

struct Curve {
  std::string label{};  // written at the end of the curve
  std::vector<double> x{}, y{};
};

struct Lines {
  std::string title{}, note{};
  Axis x{}, y{};
  std::vector<Curve> curves{};
  bool dots = false;   // mark every point
  bool joined = true;  // draw the line between the points
};

// Dots, coloured by a number each, and lines between them.
struct Network {
  std::string title{}, note{};
  std::vector<double> x{}, y{}, values{};  // of each dot
  std::vector<std::pair<size_t, size_t>> links{};
  std::string scale_label{};
};

using Plot = std::variant<Heatmap, Lines, Network>;

// The bytes of a picture of width x height pixels. The same plot gives the same bytes.
std::string to_png(const Plot& plot, int width, int height);
std::string to_svg(const Plot& plot, int width, int height);

}  // namespace posenc::draw
