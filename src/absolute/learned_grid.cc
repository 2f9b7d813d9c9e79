// learned_grid.cc: a trained table of a grid of patches, read between its rows.
#include "posenc/absolute/learned_grid.h"

#include "orders/lookup.h"

namespace posenc {

Fields LearnedGrid::fields() {
  using S = LearnedGrid;
  return {{"dim", &S::dim, "columns: the size of the embedding"},
          {"height", &S::height, "rows of patches that the table has"},
          {"width", &S::width, "patches in such a row"},
          {"prefix", &S::prefix, "rows of the table before those, for tokens at y = -1, -2, ..."},
          {"between", &S::between, "what lies between rows: of 4 (linear) or of 16 of them"},
          {"border", &S::border, "what lies beyond the table: its border again, or zeros"}};
}

std::vector<Preset<LearnedGrid>> LearnedGrid::presets() {
  using S = LearnedGrid;
  return {{"vit", "ViT-B/16 at 224 pixels: a class token, then 14 x 14 patches", S{.prefix = 1}},
          {"dinov2", "DINOv2 at 518 pixels: a class token, then 37 x 37 patches",
           S{.height = 37, .width = 37, .prefix = 1}},
          {"siglip", "SigLIP-B/16 at 224 pixels: 14 x 14 patches", {}},
          {"qwen3-vl", "Qwen3-VL: 48 x 48, bilinear; positions with corners",
           S{.dim = 1152, .height = 48, .width = 48, .between = Between::linear}},
          {"kimi", "Kimi-VL, Kimi-K2.5 (MoonViT): 64 x 64, bicubic",
           S{.dim = 1152, .height = 64, .width = 64}}};
}

void LearnedGrid::check() const {
  check_size(name, "dim", dim);
  check_size(name, "height", height);
  check_size(name, "width", width);
  if (prefix < 0 || prefix > max_size)
    fail(name, "expected prefix from 0 to ", max_size, ", got ", prefix);
  if (prefix + height * width > INT64_MAX / 8 / dim)
    fail(name, "expected a table that fits 64 bits, got ", height, " x ", width, " rows of ", dim);
}

std::vector<Weight> LearnedGrid::weights() const {
  return {{"table", {prefix + height * width, dim}, 0, 0.02}};
}

std::vector<Lookup> LearnedGrid::lookups() const {
  Lookup tap;
  tap.rows = prefix + height * width, tap.columns = dim, tap.on_grid = true;
  tap.prefix = prefix, tap.height = height, tap.width = width;
  tap.zeros = border == Border::zeros;
  tap.how = between == Between::linear ? Resize::linear : Resize::cubic;
  const int taps = between == Between::linear ? 2 : 4;
  std::vector<Lookup> out;
  for (tap.tap_y = 0; tap.tap_y < taps; ++tap.tap_y)
    for (tap.tap_x = 0; tap.tap_x < taps; ++tap.tap_x) out.push_back(tap);
  return out;
}

}  // namespace posenc
