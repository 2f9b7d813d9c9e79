// turned.h: what rules of encoders that turn along several axes are made with.
#pragma once

#include "model/families/parts.h"

namespace posenc::model {

// Half of the pairs for each of two coordinates, with equal frequencies.
Rope on_grid(int64_t dim, double base, Layout layout);
// Pairs take turns, two of the same frequency, one for each coordinate.
Rope taking_turns(int64_t dim, double base, Layout layout);
Component turned(const Rope& rope, Facts more, std::string positions);
// ", block by block of merged patches": what is said of positions where patches come so.
std::string by_blocks(bool merged);
void tell_axes(const Reading& reading, std::string_view first, std::string_view second);

}  // namespace posenc::model
