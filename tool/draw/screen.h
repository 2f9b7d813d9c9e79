// screen.h: what every plot in a terminal has around its data.
#pragma once

#include <string>
#include <vector>

#include "draw/colour.h"
#include "draw/terminal.h"
#include "draw/ticks.h"

namespace posenc::draw {

struct Screen {
  int columns, rows;
  Colour colour;
  std::string title, note;
  Ruler x, y;
  bool downwards = false;             // y.from is at the top
  double aspect = 0;                  // as in Frame; a character is twice as high as wide
  std::vector<std::string> footer{};  // lines below everything, may hold colour codes
  int width = 0, height = 0;          // of the data, in characters
  std::vector<Tick> x_ticks{}, y_ticks{};
};

// Checks the size, finds the room for the data and the ticks. The footer must have its lines.
void arrange(std::string_view where, Screen& screen);

// All lines: `data` holds `height` lines of `width` characters, may hold colour codes.
std::string assemble(const Screen& screen, const std::vector<std::string>& data);

// Escape codes that switch to a colour for the characters or behind them; empty without colours.
std::string foreground(Colour colour, Rgb rgb);
std::string background(Colour colour, Rgb rgb);
std::string plain(Colour colour);

std::string cut_to(const std::string& text, int columns);

}  // namespace posenc::draw
