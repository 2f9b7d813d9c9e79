// sampled.cc: where the patches of images lie on the grid of a learned table.
#include "posenc/positions/sampled.h"

#include "orders/taps.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

void check(const Sampling& table) {
  check_at_least("sampled", "height of the table", table.height, 1);
  check_at_least("sampled", "width of the table", table.width, 1);
  check_at_least("sampled", "tokens before an image", table.before, 0);
}

int64_t tokens_of(const PlannedPositions& patches, const Sampling& table) {
  return sum("sampled", "tokens", patches.tokens, table.before);
}

}  // namespace

PlannedCoordinates sampled(const std::vector<ImageSize>& images, const Sampling& table) {
  check(table);
  std::vector<PlannedPositions> patches;
  int64_t tokens = 0;
  for (const ImageSize& image : images) {
    patches.push_back(grid({.frames = image.frames,
                            .height = image.height,
                            .width = image.width,
                            .merge = table.merge}));
    tokens = sum("sampled", "tokens", tokens, tokens_of(patches.back(), table));
  }
  auto out = make<double>("sampled", 2, 1, tokens);
  const Resize how = table.corners ? Resize::linear_corners : Resize::linear;
  size_t n = 0;
  const auto x_axis = static_cast<size_t>(tokens);
  for (size_t i = 0; i < images.size(); ++i) {
    for (int64_t t = 0; t < table.before; ++t, ++n)
      out.ids[n] = out.ids[x_axis + n] = static_cast<double>(-1 - t);
    for (int64_t t = 0; t < patches[i].tokens; ++t, ++n) {
      out.ids[n] = place_of(how, patches[i].at(0, 0, t), table.height, images[i].height);
      out.ids[x_axis + n] = place_of(how, patches[i].at(1, 0, t), table.width, images[i].width);
    }
  }
  return out;
}

}  // namespace posenc
