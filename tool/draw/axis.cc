#include "draw/axis.h"

#include <algorithm>
#include <limits>

#include "draw/text.h"
#include "posenc/tensor.h"

namespace posenc::draw {
namespace {

constexpr double closest = 1e-12;  // shortest length of an axis relative to its ends

bool far_apart(double a, double b) {
  return std::abs(b - a) > std::max(1e-200, closest * std::max(std::abs(a), std::abs(b)));
}

void check(std::string_view where, const Axis& axis) {
  if (!drawable(axis.min) || !drawable(axis.max))
    fail(where, "expected axis ends within 1e200, got ", axis.min, " and ", axis.max);
  if (axis.min == axis.max) return;
  if (!drawable(axis.min, axis.log) || !drawable(axis.max, axis.log))
    fail(where, "expected positive ends of a logarithmic axis, got ", axis.min, " and ", axis.max);
  if (!far_apart(axis.min, axis.max))
    fail(where, "expected axis ends further apart, got ", axis.min, " and ", axis.max);
}

// Moves both ends outwards by `part` of the length, in logarithms for a log axis.
void extend(Ruler& ruler, double part) {
  if (ruler.log) {
    const double more = std::exp(part * (std::log(ruler.to) - std::log(ruler.from)));
    ruler.from /= more;
    ruler.to *= more;
  } else {
    const double more = (ruler.to - ruler.from) * part;
    ruler.from -= more;
    ruler.to += more;
  }
}

}  // namespace

void Range::add(std::span<const double> values, bool log) {
  for (const double v : values) {
    if (!drawable(v, log)) continue;
    if (empty()) low = high = v;
    low = std::min(low, v);
    high = std::max(high, v);
  }
}

Range widened(Range range) {
  if (range.empty()) return {0, 1};
  if (far_apart(range.low, range.high)) return range;
  const double more = std::abs(range.low) < 1e-150 ? 1 : std::abs(range.low) / 2;
  return {range.low - more, range.high + more};
}

Range colour_ends(const Heatmap& map) {
  if (map.low != map.high) return {map.low, map.high};
  Range ends;
  ends.add(map.values);
  return widened(ends);
}

double aspect_of(const Heatmap& map) {
  return map.square ? static_cast<double>(map.cols) / static_cast<double>(map.rows) : 0;
}

Range colour_ends(const Network& network) {
  Range ends;
  ends.add(network.values);
  ends = widened(ends);
  if (ends.low < 0 && ends.high > 0)
    ends.high = std::max(ends.high, -ends.low), ends.low = -ends.high;
  return ends;
}

double Ruler::at(double value) const {
  if (!drawable(value, log)) return std::numeric_limits<double>::quiet_NaN();
  const auto place = [this](double v) { return log ? std::log(v) : v; };
  return std::clamp((place(value) - place(from)) / (place(to) - place(from)), -100.0, 100.0);
}

Ruler make_ruler(std::string_view where, const Axis& axis, Range data, double padding) {
  check(where, axis);
  Ruler ruler{clean(axis.label), axis.min, axis.max, axis.log};
  if (axis.min != axis.max) return ruler;
  const Range ends = axis.log && data.empty() ? Range{1, 10} : widened(data);
  ruler.from = ends.low;
  ruler.to = ends.high;
  extend(ruler, padding);
  return ruler;
}

Ruler make_cell_ruler(std::string_view where, const Axis& axis, int64_t cells) {
  check(where, axis);
  Ruler ruler{clean(axis.label), axis.min, axis.max, axis.log};
  if (axis.min == axis.max) {
    const double first = axis.log ? 1 : 0;
    ruler.from = first;
    ruler.to = first + static_cast<double>(cells - 1);
  }
  if (cells == 1) {
    if (ruler.from != ruler.to) return ruler;
    ruler.from -= 0.5;
    ruler.to += 0.5;
    return ruler;
  }
  const double gaps = static_cast<double>(cells - 1);
  if (!ruler.log) ruler.smallest_step = std::abs(ruler.to - ruler.from) / gaps;
  extend(ruler, 0.5 / gaps);
  return ruler;
}

}  // namespace posenc::draw
