// svg.h: what cairo's SVG output still needs.
#pragma once

#include <string>

namespace posenc::draw {

// Adds title and description, asks for sharp pixels, and replaces cairo's running numbers.
std::string finish_svg(std::string svg, const std::string& title, const std::string& note);

}  // namespace posenc::draw
