// check.h: refuses plots that cannot be drawn, before anything is drawn.
#pragma once

#include <string_view>

#include "draw/plot.h"

namespace posenc::draw {

void check(std::string_view where, const Heatmap& map);
void check(std::string_view where, const Lines& lines);
void check(std::string_view where, const Network& network);

// Between least and most.
void check_between(std::string_view where, std::string_view what, int value, int least, int most);

// Of a picture file, in pixels.
void check_size(std::string_view where, int width, int height);

}  // namespace posenc::draw
