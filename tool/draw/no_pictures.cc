// no_pictures.cc: stands in for picture files where cairo was not found.
#include "draw/plot.h"
#include "posenc/tensor.h"

namespace posenc::draw {

std::string to_png(const Plot&, int, int) {
  fail("to_png", "expected a build with cairo to make a picture, got one without");
}

std::string to_svg(const Plot&, int, int) {
  fail("to_svg", "expected a build with cairo to make a picture, got one without");
}

}  // namespace posenc::draw
