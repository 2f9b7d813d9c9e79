// masked.cc: where the pixels of padded images stand, counted by a mask.
#include "posenc/positions/masked.h"

#include "base/batch.h"
#include "base/check.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

void check(const Tensor& mask, const Masked& rule) {
  if (mask.rank != 3 || !is_integer(mask.dtype))
    fail(ErrorKind::tensor, "masked", "expected a mask as i32 or i64 [rows, height, width], got ",
         describe(mask));
  check_host_memory("masked", "a mask", mask);
  check_finite("masked", "scale", rule.scale);
  check_finite("masked", "shift", rule.shift);
}

// Counts along a line of `count` numbers, `step` apart, become places.
void place(const Masked& rule, double* line, int64_t count, int64_t step) {
  if (!rule.normalize || count == 0) return;
  const double last = line[(count - 1) * step] + 1e-6;
  for (int64_t i = 0; i < count; ++i)
    line[i * step] = (line[i * step] + rule.shift) / last * rule.scale;
}

}  // namespace

std::vector<Preset<Masked>> Masked::presets() {
  return {{"detr", "DETR, Conditional DETR, MaskFormer: up to 2 pi", {}},
          {"deformable-detr", "Deformable DETR: half a pixel before that", {.shift = -0.5}},
          {"plain", "counts as they are, from 1", {.normalize = false}}};
}

PlannedCoordinates masked(const Tensor& mask, const Masked& rule) {
  check(mask, rule);
  const int64_t rows = mask.size(0), height = mask.size(1), width = mask.size(2);
  const int64_t tokens = product("masked", "pixels", height, width);
  auto out = make<double>("masked", 2, rows, tokens);
  const Batch pixels(mask, 2);
  for (int64_t row = 0; row < rows; ++row) {
    double* ys = out.ids.data() + row * tokens;
    double* xs = out.ids.data() + (rows + row) * tokens;
    for (int64_t y = 0; y < height; ++y)
      for (int64_t x = 0; x < width; ++x) {
        const int64_t n = y * width + x, bit = integer(mask.dtype, pixels.at(row, y, x));
        if (bit != 0 && bit != 1)
          fail("masked", "expected a mask of 0 and 1, got ", bit, " at row ", row, ", pixel ", y,
               ", ", x);
        ys[n] = (y > 0 ? ys[n - width] : 0) + static_cast<double>(bit);
        xs[n] = (x > 0 ? xs[n - 1] : 0) + static_cast<double>(bit);
      }
    for (int64_t x = 0; x < width; ++x) place(rule, ys + x, height, width);
    for (int64_t y = 0; y < height; ++y) place(rule, xs + y * width, width, 1);
  }
  return out;
}

}  // namespace posenc
