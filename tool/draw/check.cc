#include "draw/check.h"

#include <algorithm>

#include "draw/axis.h"
#include "posenc/tensor.h"

namespace posenc::draw {

void check(std::string_view where, const Heatmap& map) {
  const auto size = static_cast<int64_t>(map.values.size());
  if (map.rows < 1 || map.cols < 1)
    fail(where, "expected at least one row and column, got ", map.rows, " x ", map.cols);
  if (size % map.cols != 0 || size / map.cols != map.rows)
    fail(where, "expected ", map.rows, " x ", map.cols, " values, got ", size);
  if (!drawable(map.low) || !drawable(map.high) || map.low > map.high)
    fail(where, "expected low <= high as ends of the colours, got ", map.low, " and ", map.high);
}

void check(std::string_view where, const Lines& lines) {
  if (lines.curves.empty()) fail(where, "expected at least one curve, got none");
  for (const Curve& curve : lines.curves) {
    if (curve.x.empty()) fail(where, "expected a curve with points, got none");
    if (curve.x.size() != curve.y.size())
      fail(where, "expected as many x as y, got ", curve.x.size(), " and ", curve.y.size());
  }
}

void check(std::string_view where, const Network& network) {
  const size_t dots = network.x.size();
  if (dots == 0) fail(where, "expected at least one dot, got none");
  if (network.y.size() != dots || network.values.size() != dots)
    fail(where, "expected as many y and values as x, ", dots, ", got ", network.y.size(), " and ",
         network.values.size());
  for (const auto& link : network.links)
    if (link.first >= dots || link.second >= dots)
      fail(where, "expected links between ", dots, " dots, got one of ",
           std::max(link.first, link.second));
}

void check_between(std::string_view where, std::string_view what, int value, int least, int most) {
  if (value < least || value > most)
    fail(where, "expected ", what, " from ", least, " to ", most, ", got ", value);
}

void check_size(std::string_view where, int width, int height) {
  constexpr int longest_side = 20000;
  constexpr int64_t most_pixels = 100'000'000;
  check_between(where, "a width", width, 1, longest_side);
  check_between(where, "a height", height, 1, longest_side);
  if (int64_t{width} * height > most_pixels)
    fail(where, "expected at most ", most_pixels, " pixels, got ", width, " x ", height);
}

}  // namespace posenc::draw
