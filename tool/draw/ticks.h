// ticks.h: round numbers along an axis.
#pragma once

#include <string>
#include <vector>

#include "draw/axis.h"

namespace posenc::draw {

// A tick without a label is a minor one.
struct Tick {
  double value;
  std::string label;
};

// About `most` labelled ticks, in steps of 1, 2 or 5 times a power of ten; decades on a log axis.
std::vector<Tick> make_ticks(const Ruler& ruler, int most);

}  // namespace posenc::draw
