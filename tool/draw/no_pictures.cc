// no_pictures.cc: stands in for picture files where cairo was not found.
#include "draw/files.h"
#include "draw/plot.h"
#include "posenc/tensor.h"

namespace posenc::draw {
namespace {

[[noreturn]] void refuse_picture(std::string_view where) {
  fail(where,
       "expected a build with cairo to make a picture, got one without; in Python, posenc.plot "
       "draws by matplotlib");
}

}  // namespace

bool makes_files() { return false; }
std::string to_png(const Plot&, int, int) { refuse_picture("to_png"); }
std::string to_svg(const Plot&, int, int) { refuse_picture("to_svg"); }

}  // namespace posenc::draw
