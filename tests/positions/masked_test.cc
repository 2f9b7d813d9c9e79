// masked_test.cc: pixels of batches of images, counted by masks of any layout.
#include "posenc/positions/masked.h"

#include <gtest/gtest.h>

#include "tests/support/elements.h"
#include "tests/support/guarded.h"

namespace posenc::masked_test {
namespace {

// How many pixels of a line there are from the first to the last, which are `step` apart.
double counted(const Tensor& mask, int64_t first, int64_t last, int64_t step) {
  double out = 0;
  for (int64_t n = first; n <= last; n += step) out += get(mask, n);
  return out;
}

// (c + shift) / (the last c of the line + 1e-6) * scale: four roundings.
TEST(Masked, CountsPixelsOfEveryImage) {
  Random random(1);
  const int64_t rows = 3, height = 4, width = 6, area = height * width;
  for (const auto& preset : Masked::presets())
    for (const DType dtype : {DType::i32, DType::i64})
      for (const Placement placement : all_placements) {
        Guarded mask(dtype, {rows, height, width}, placement);
        randomize_ids(mask.view(), random, 0, 1);
        const auto at = masked(mask.view(), preset.value);
        ASSERT_EQ(at.ids.size(), static_cast<size_t>(2 * rows * area));
        const auto expect = [&](double got, double count, double all) {
          const Masked& rule = preset.value;
          const double place = (count + rule.shift) / (all + 1e-6) * rule.scale;
          const double truth = rule.normalize ? place : count;
          ASSERT_NEAR(got, truth, 4 * 0x1p-53 * std::abs(truth)) << preset.name;
        };
        for (int64_t row = 0; row < rows; ++row)
          for (int64_t y = 0; y < height; ++y)
            for (int64_t x = 0; x < width; ++x) {
              const int64_t top = row * area + x, left = row * area + y * width;
              const auto count = [&](int64_t first, int64_t pixels, int64_t step) {
                return counted(mask.view(), first, first + pixels * step, step);
              };
              expect(at.at(0, row, y * width + x), count(top, y, width),
                     count(top, height - 1, width));
              expect(at.at(1, row, y * width + x), count(left, x, 1), count(left, width - 1, 1));
            }
      }
}

TEST(Masked, ImagesWithoutPixels) {
  const std::vector<int32_t> none(1);
  EXPECT_TRUE(masked(tensor(none.data(), {2, 0, 3})).ids.empty());
  EXPECT_TRUE(masked(tensor(none.data(), {2, 3, 0})).ids.empty());
  EXPECT_TRUE(masked(tensor(none.data(), {0, 3, 3})).ids.empty());
}

}  // namespace
}  // namespace posenc::masked_test
