// heatmap.cc: a matrix as a coloured image with a colour bar.
#include <algorithm>

#include "draw/check.h"
#include "draw/frame.h"
#include "draw/grid.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

constexpr double bar_gap = 20, bar_width = 14, bar_tick = 4;

// Draws the pixels and says whether a missing value is among them.
bool draw_cells(Canvas& canvas, const Box& area, const Heatmap& map, const ColourScale& scale) {
  Image image = canvas.image_for(area);
  const Grid grid = average(map, image.height, image.width);
  auto pixel = image.pixels.begin();
  for (int y = 0; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x)
      *pixel++ = scale(grid.at(y, x, image.height, image.width));
  canvas.paint(image, {area.x, area.y});
  return !grid.complete();
}

void draw_bar(Canvas& canvas, const Box& box, const Ruler& ruler, const std::vector<Tick>& ticks) {
  Image image = canvas.image_for(box);
  auto pixel = image.pixels.begin();
  for (int y = 0; y < image.height; ++y) {
    const double t = image.height > 1 ? double(y) / (image.height - 1) : 0.5;
    const Rgb colour = ColourScale{ruler.from, ruler.to}(std::lerp(ruler.to, ruler.from, t));
    pixel = std::fill_n(pixel, image.width, colour);
  }
  canvas.paint(image, {box.x, box.y});
  canvas.frame(box, {rule, 1});
  for (const Tick& tick : ticks) {
    const double y = box.bottom() - box.height * ruler.at(tick.value);
    canvas.line({box.right(), y}, {box.right() + bar_tick, y}, {rule, 1});
    canvas.text(tick.label, {box.right() + bar_tick + 4, y + 0.36 * tick_size}, tick_font);
  }
}

// Below the bar, moved to the left where it would leave the picture.
void draw_missing_key(Canvas& canvas, const Box& bar) {
  const double x = std::min(bar.x, canvas.width() - 70);
  const Box box = canvas.snapped(Box{x, bar.bottom() + 10, 11, 11});
  canvas.fill(box, missing);
  canvas.frame(box, {rule, 1});
  canvas.text("missing", {box.right() + 6, box.bottom() - 1.5}, tick_font);
}

}  // namespace

void draw(Canvas& canvas, std::string_view where, const Heatmap& map) {
  check(where, map);
  Frame frame{clean(map.title), clean(map.note), make_cell_ruler(where, map.x, map.cols),
              make_cell_ruler(where, map.y, map.rows), true};
  const Range ends = colour_ends(map);
  const Ruler bar{clean(map.scale_label), ends.low, ends.high};
  const auto bar_ticks = ticks_upwards(bar, canvas.height() * 0.75);
  const double numbers = bar_width + bar_tick + 4 + widest(canvas, bar_ticks);
  arrange(canvas, frame, bar_gap + numbers + (bar.label.empty() ? 0 : label_size + 8));

  draw_header(canvas, frame);
  const Box& area = frame.area;
  const bool any_missing = draw_cells(canvas, area, map, {bar.from, bar.to});
  canvas.frame(area, {rule, 1});
  draw_axes(canvas, frame);
  const Box box = canvas.snapped(Box{area.right() + bar_gap, area.y, bar_width, area.height});
  draw_bar(canvas, box, bar, bar_ticks);
  if (any_missing) draw_missing_key(canvas, box);
  canvas.text_upwards(cut_to(canvas, bar.label, label_font, area.height),
                      {box.x + numbers + 8 + 0.8 * label_size, area.y + area.height / 2},
                      label_font);
}

}  // namespace posenc::draw
