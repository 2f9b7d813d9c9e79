// no_pictures.cc: stands in for picture files on a page, which starts no programs.
#include "draw/plot.h"
#include "posenc/tensor.h"

namespace posenc::draw {
namespace {

[[noreturn]] void refuse_picture(std::string_view where) {
  fail(where, "expected a tool that writes files to make a picture, got a page");
}

}  // namespace

std::string to_png(const Plot&, int, int) { refuse_picture("to_png"); }
std::string to_svg(const Plot&, int, int) { refuse_picture("to_svg"); }

}  // namespace posenc::draw
