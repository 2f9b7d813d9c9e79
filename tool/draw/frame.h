// frame.h: what every picture has around its data: title, note, axes and room at the right.
#pragma once

#include "draw/canvas.h"
#include "draw/ticks.h"

namespace posenc::draw {

inline constexpr double tick_size = 11.5, label_size = 12.5;
inline constexpr Font tick_font{tick_size, soft}, label_font{label_size, ink};

struct Frame {
  std::string title, note;
  Ruler x, y;
  bool downwards = false;  // y.from is at the top
  double aspect = 0;       // width of the area for a height of 1; 0: all the room there is
  Box area{};
  std::vector<Tick> x_ticks{}, y_ticks{};

  double x_of(double value) const { return area.x + area.width * x.at(value); }
  double y_of(double value) const {
    return area.y + area.height * (downwards ? y.at(value) : 1 - y.at(value));
  }
};

// Finds the area and the ticks, leaving `right` units free beside the area.
void arrange(Canvas& canvas, Frame& frame, double right);

void draw_header(Canvas& canvas, const Frame& frame);
void draw_axes(Canvas& canvas, const Frame& frame);

// About as many ticks as look good over `length` units of height.
std::vector<Tick> ticks_upwards(const Ruler& ruler, double length);

double widest(Canvas& canvas, const std::vector<Tick>& ticks);
std::string cut_to(Canvas& canvas, const std::string& text, const Font& font, double width);

// The heat map, the curves or the network, frame included.
void draw(Canvas& canvas, std::string_view where, const Heatmap& map);
void draw(Canvas& canvas, std::string_view where, const Lines& lines);
void draw(Canvas& canvas, std::string_view where, const Network& network);

}  // namespace posenc::draw
