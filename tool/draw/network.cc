// network.cc: dots in colours, and lines between them.
#include <algorithm>

#include "draw/bar.h"
#include "draw/check.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

// Smaller where there are many.
double radius_for(size_t dots) {
  return std::clamp(60 / std::sqrt(static_cast<double>(dots)), 1.2, 7.0);
}

void draw_links(Canvas& canvas, const Frame& frame, const Network& network) {
  const double width = network.links.size() > 2000 ? 0.5 : 1;
  for (const auto& [a, b] : network.links) {
    const Point ends[] = {{frame.x_of(network.x[a]), frame.y_of(network.y[a])},
                          {frame.x_of(network.x[b]), frame.y_of(network.y[b])}};
    canvas.path(ends, {mix(rule, white, 0.3), width});
  }
}

void draw_dots(Canvas& canvas, const Frame& frame, const Network& network, const Ruler& scale) {
  const double radius = radius_for(network.x.size());
  const ColourScale colours{scale.from, scale.to};
  for (size_t i = 0; i < network.x.size(); ++i) {
    const Point at{frame.x_of(network.x[i]), frame.y_of(network.y[i])};
    canvas.dot(at, radius + 0.8, soft);
    canvas.dot(at, radius, colours(network.values[i]));
  }
}

}  // namespace

void draw(Canvas& canvas, std::string_view where, const Network& network) {
  check(where, network);
  Range x, y;
  x.add(network.x), y.add(network.y);
  const Range ends = colour_ends(network);
  const Bar bar(canvas, {clean(network.scale_label), ends.low, ends.high});
  Frame frame{clean(network.title), clean(network.note), make_ruler(where, {}, x, 0.04),
              make_ruler(where, {}, y, 0.04)};
  arrange(canvas, frame, bar.room);
  draw_header(canvas, frame);
  draw_links(canvas, frame, network);
  draw_dots(canvas, frame, network, bar.scale);
  bar.draw(canvas, frame.area);
}

}  // namespace posenc::draw
