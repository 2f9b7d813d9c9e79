// bar.cc: the colours of a picture and their numbers, at its right.
#include "draw/bar.h"

#include <algorithm>
#include <cmath>

namespace posenc::draw {
namespace {

constexpr double bar_gap = 20, bar_width = 14, bar_tick = 4;

void draw_colours(Canvas& canvas, const Box& box, const Ruler& ruler,
                  const std::vector<Tick>& ticks) {
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

}  // namespace

Bar::Bar(Canvas& canvas, const Ruler& ruler)
    : scale(ruler), ticks(ticks_upwards(ruler, canvas.height() * 0.75)) {
  numbers = bar_width + bar_tick + 4 + widest(canvas, ticks);
  room = bar_gap + numbers + (scale.label.empty() ? 0 : label_size + 8);
}

Box Bar::draw(Canvas& canvas, const Box& area) const {
  const Box box = canvas.snapped(Box{area.right() + bar_gap, area.y, bar_width, area.height});
  draw_colours(canvas, box, scale, ticks);
  canvas.text_upwards(cut_to(canvas, scale.label, label_font, area.height),
                      {box.x + numbers + 8 + 0.8 * label_size, area.y + area.height / 2},
                      label_font);
  return box;
}

}  // namespace posenc::draw
