// terminal.h: plots as lines of text, each ended by '\n'.
#pragma once

#include <string>

#include "draw/plot.h"

namespace posenc::draw {

enum class Colour { none, ansi256, truecolour };

// Exactly `rows` lines (10 to 1000) of at most `columns` characters (40 to 1000). With colours a
// character shows two cells, one above the other; without, shades run from ' ' (low) to '█' (high)
// and '·' is missing.
std::string terminal_heatmap(const Heatmap& map, int columns, int rows, Colour colour);

// Braille dots in colour; without colour, several curves get a symbol each.
std::string terminal_lines(const Lines& lines, int columns, int rows, Colour colour);

// Dots '●' where the number is above 0 and '○' elsewhere, in its colour; links in braille.
std::string terminal_network(const Network& network, int columns, int rows, Colour colour);

}  // namespace posenc::draw
