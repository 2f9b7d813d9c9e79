// grid.cc: patches of images and videos, row by row or block by block.
#include "posenc/positions/grid.h"

#include <algorithm>
#include <array>

#include "posenc/field.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

void check(const Grid& g) {
  check_choices("grid", g.order, "order");
  check_at_least("grid", "frames", g.frames, 0);
  check_at_least("grid", "height", g.height, 0);
  check_at_least("grid", "width", g.width, 0);
  check_at_least("grid", "merge", g.merge, 1);
  check_at_least("grid", "tokens before the patches", g.before, 0);
  check_at_least("grid", "tokens after the patches", g.after, 0);
  if (g.height % g.merge != 0 || g.width % g.merge != 0)
    fail("grid", "expected height and width divisible by merge ", g.merge, ", got ", g.height,
         " x ", g.width);
  sum("grid", "positions", g.first, std::max({g.frames, g.height, g.width}));
}

// Patch n of a frame, in the order of the tokens.
struct Patch {
  int64_t y, x;
};
Patch patch(const Grid& g, int64_t n) {
  const int64_t inside = g.merge * g.merge, block = n / inside, place = n % inside;
  const int64_t across = g.width / g.merge;
  return {block / across * g.merge + place / g.merge, block % across * g.merge + place % g.merge};
}

}  // namespace

PlannedPositions grid(const Grid& g) {
  check(g);
  const int64_t frame = product("grid", "patches", g.height, g.width);
  const int64_t patches = product("grid", "patches", g.frames, frame);
  const int64_t tokens = sum("grid", "tokens", sum("grid", "tokens", g.before, patches), g.after);
  const int64_t axes = g.time ? 3 : 2;
  auto out = make<int64_t>("grid", axes, 1, tokens);
  std::fill(out.ids.begin(), out.ids.end(), g.extra_at);
  for (int64_t n = 0; n < patches; ++n) {
    const auto [y, x] = patch(g, n % frame);
    const std::array sides = g.order == AxisOrder::yx ? std::array{y, x} : std::array{x, y};
    const auto set = [&](int64_t axis, int64_t value) {
      out.ids[static_cast<size_t>(axis * tokens + g.before + n)] = g.first + value;
    };
    if (g.time) set(0, n / frame);
    set(axes - 2, sides[0]);
    set(axes - 1, sides[1]);
  }
  return out;
}

}  // namespace posenc
