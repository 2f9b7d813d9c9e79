// heatmap.cc: a matrix as a coloured image with a colour bar.
#include <algorithm>

#include "draw/bar.h"
#include "draw/check.h"
#include "draw/frame.h"
#include "draw/grid.h"
#include "draw/text.h"

namespace posenc::draw {
namespace {

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
  Frame frame{clean(map.title),
              clean(map.note),
              make_cell_ruler(where, map.x, map.cols),
              make_cell_ruler(where, map.y, map.rows),
              true,
              aspect_of(map)};
  const Range ends = colour_ends(map);
  const Ruler scale{clean(map.scale_label), ends.low, ends.high};
  const Bar bar(canvas, scale);
  arrange(canvas, frame, bar.room);

  draw_header(canvas, frame);
  const Box& area = frame.area;
  const bool any_missing = draw_cells(canvas, area, map, {scale.from, scale.to});
  canvas.frame(area, {rule, 1});
  draw_axes(canvas, frame);
  const Box box = bar.draw(canvas, area);
  if (any_missing) draw_missing_key(canvas, box);
}

}  // namespace posenc::draw
