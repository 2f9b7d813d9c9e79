// lines.cc: curves over a light grid, each labelled at its end.
#include <algorithm>
#include <set>

#include "draw/check.h"
#include "draw/frame.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

constexpr double label_height = 16, leader = 22, dot_radius = 2.6;

struct EndLabel {
  size_t curve;
  Point end;  // of the curve
  double y;   // of the label
};

std::string label_of(Canvas& canvas, const Curve& curve) {
  return cut_to(canvas, clean(curve.label), label_font, 0.35 * canvas.width());
}

// Runs of points without a gap, in units of the canvas.
std::vector<std::vector<Point>> make_runs(const Frame& frame, const Curve& curve) {
  std::vector<std::vector<Point>> runs(1);
  for (size_t i = 0; i < curve.x.size(); ++i) {
    const Point p{frame.x_of(curve.x[i]), frame.y_of(curve.y[i])};
    if (std::isfinite(p.x) && std::isfinite(p.y))
      runs.back().push_back(p);
    else if (!runs.back().empty())
      runs.emplace_back();
  }
  if (runs.back().empty()) runs.pop_back();
  return runs;
}

// Of neighbours within a quarter unit across, only the first, lowest, highest and last remain.
std::vector<Point> thinned(const std::vector<Point>& run) {
  const auto column = [](const Point& p) { return std::floor(4 * p.x); };
  const auto higher = [](const Point& a, const Point& b) { return a.y < b.y; };
  std::vector<Point> out;
  for (auto first = run.begin(); first != run.end();) {
    const auto last =
        std::find_if(first, run.end(), [&](const Point& p) { return column(p) != column(*first); });
    auto [low, high] = std::minmax_element(first, last, higher);
    if (high < low) std::swap(low, high);
    out.push_back(*first);
    if (low != first) out.push_back(*low);
    if (high != low && high != first) out.push_back(*high);
    if (last - 1 != high && last - 1 != first) out.push_back(*(last - 1));
    first = last;
  }
  return out;
}

void draw_curve(Canvas& canvas, const Frame& frame, const Lines& lines, size_t i) {
  const Pen pen{curve_colour(i), 1.8, i / curve_colours % 2 == 1};
  std::set<std::pair<long, long>> drawn;  // dots, in half units
  for (const auto& run : make_runs(frame, lines.curves[i])) {
    if (lines.joined && run.size() > 1) canvas.path(thinned(run), pen);
    if (!lines.dots && lines.joined && run.size() > 1) continue;
    for (const Point& p : run)
      if (drawn.emplace(std::lround(2 * p.x), std::lround(2 * p.y)).second)
        canvas.dot(p, dot_radius, pen.colour);
  }
}

void draw_grid(Canvas& canvas, const Frame& frame) {
  const Box& area = frame.area;
  for (const Tick& tick : frame.x_ticks)
    if (!tick.label.empty())
      canvas.line({frame.x_of(tick.value), area.y}, {frame.x_of(tick.value), area.bottom()},
                  {faint});
  for (const Tick& tick : frame.y_ticks)
    if (!tick.label.empty())
      canvas.line({area.x, frame.y_of(tick.value)}, {area.right(), frame.y_of(tick.value)},
                  {tick.value == 0 && !frame.y.log ? rule : faint});
  canvas.line({area.x, area.y}, {area.x, area.bottom()}, {rule});
  canvas.line({area.x, area.bottom()}, {area.right(), area.bottom()}, {rule});
}

// One label for each named curve, at its rightmost visible point.
std::vector<EndLabel> make_labels(const Frame& frame, const Lines& lines) {
  std::vector<EndLabel> labels;
  const Box& area = frame.area;
  for (size_t i = 0; i < lines.curves.size(); ++i) {
    if (lines.curves[i].label.empty()) continue;
    Point end{-1, area.y};
    for (const auto& run : make_runs(frame, lines.curves[i]))
      for (const Point& p : run)
        if (p.x >= end.x && p.x <= area.right() + 1) end = p;
    end.y = std::clamp(end.y, area.y, area.bottom());
    labels.push_back({i, end, end.y});
  }
  return labels;
}

// Moves labels apart so that none covers another; returns how many had no room and are gone.
size_t spread(std::vector<EndLabel>& labels, const Box& area) {
  const auto room = static_cast<size_t>(std::max(1.0, area.height / label_height));
  const size_t gone = labels.size() - std::min(labels.size(), room);
  labels.resize(labels.size() - gone);
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.y < b.y; });
  double least = area.y + label_height / 2;
  for (EndLabel& label : labels) {
    label.y = std::max(label.y, least);
    least = label.y + label_height;
  }
  double most = area.bottom();
  for (size_t i = labels.size(); i-- > 0;) {
    EndLabel& label = labels[i];
    label.y = std::min(label.y, most);
    most = label.y - label_height;
  }
  return gone;
}

void draw_labels(Canvas& canvas, const Frame& frame, const Lines& lines) {
  auto labels = make_labels(frame, lines);
  const size_t gone = spread(labels, frame.area);
  const double x = frame.area.right() + leader;
  if (gone > 0)
    canvas.text("+ " + std::to_string(gone) + " more", {x, frame.area.bottom() + label_height},
                {tick_size, soft});
  for (const EndLabel& label : labels) {
    const Rgb colour = curve_colour(label.curve);
    if (label.end.x >= frame.area.x) {
      const double bend = std::max(label.end.x + 4, frame.area.right() + 4);
      const Point points[] = {
          {label.end.x + 3, label.end.y}, {bend, label.end.y}, {x - 4, label.y}};
      canvas.path(points, {mix(colour, white, 0.45), 0.8});
    }
    canvas.text(label_of(canvas, lines.curves[label.curve]), {x, label.y + 0.36 * label_size},
                {label_size, mix(colour, ink, 0.35)});
  }
}

}  // namespace

void draw(Canvas& canvas, std::string_view where, const Lines& lines) {
  check(where, lines);
  Range x, y;
  double right = 0;
  for (const Curve& curve : lines.curves) {
    x.add(curve.x, lines.x.log);
    y.add(curve.y, lines.y.log);
    const double width = canvas.text_width(label_of(canvas, curve), label_font);
    if (width > 0) right = std::max(right, leader + width);
  }
  Frame frame{clean(lines.title), clean(lines.note), make_ruler(where, lines.x, x, 0),
              make_ruler(where, lines.y, y, 0.04)};
  arrange(canvas, frame, right);
  draw_header(canvas, frame);
  draw_grid(canvas, frame);
  draw_axes(canvas, frame);
  const Box& area = frame.area;
  canvas.clip({area.x - 3, area.y - 3, area.width + 6, area.height + 6});
  for (size_t i = 0; i < lines.curves.size(); ++i) draw_curve(canvas, frame, lines, i);
  canvas.unclip();
  draw_labels(canvas, frame, lines);
}

}  // namespace posenc::draw
