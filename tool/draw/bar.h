// bar.h: the colours of a picture and their numbers, at its right.
#pragma once

#include "draw/frame.h"

namespace posenc::draw {

struct Bar {
  Ruler scale;
  std::vector<Tick> ticks;
  double numbers, room;  // how wide they are, and all of it

  Bar(Canvas& canvas, const Ruler& scale);
  // Beside the area; returns where the colours are.
  Box draw(Canvas& canvas, const Box& area) const;
};

}  // namespace posenc::draw
