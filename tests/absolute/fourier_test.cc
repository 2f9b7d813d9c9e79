// fourier_test.cc: features of coordinates, from the formulas.
#include <gtest/gtest.h>

#include "tests/absolute/fourier.h"

namespace posenc::fourier_test {
namespace {

TEST(Fourier, NerfMatchesItsFormula) {
  for (const Nerf& s :
       {Nerf{}, Nerf{.coordinates = 1, .bands = 1}, Nerf{.coordinates = 2, .bands = 5},
        Nerf{.bands = 4, .spacing = Spacing::linear}, Nerf{.bands = 1, .spacing = Spacing::linear},
        Nerf{.coordinates = 5, .bands = 3, .include_input = false}})
    expect_rows(
        {{}, prepare(s)}, [&](const Row& x) { return nerf(s, x); },
        std::exp2(static_cast<double>(s.bands)), 3);
}

TEST(Fourier, PerceiverMatchesItsFormula) {
  for (const Perceiver& s :
       {Perceiver{}, Perceiver{{10}, 1}, Perceiver{{10, 7, 3}, 5}, Perceiver{{16, 9}, 4, false},
        Perceiver{{16, 9}, 4, true, true}, Perceiver{{1}, 3},
        Perceiver{.max_resolution = {16, 9}, .bands = 5, .order = BandOrder::bands},
        Perceiver{.max_resolution = {16, 2}, .bands = 3, .spacing = Spacing::octaves},
        Perceiver{.max_resolution = {8}, .bands = 1, .spacing = Spacing::octaves}})
    expect_rows(
        {{}, prepare(s)}, [&](const Row& x) { return perceiver(s, x); }, pi * 112, 1);
}

void expect_printed(const Row& row, const Row& printed) {  // six digits after the point
  ASSERT_EQ(row.size(), printed.size());
  for (size_t c = 0; c < row.size(); ++c) EXPECT_NEAR(row[c], printed[c], 5.1e-7) << c;
}

TEST(Fourier, WorkedNumbers) {
  expect_printed(row_at(prepare(Nerf{.coordinates = 1, .bands = 2}), {.5}),
                 {.5, .479426, .877583, .841471, .540302});
  expect_printed(row_at(prepare(Perceiver{{4}, 2}), {.5}), {.5, 1, 0, 0, -1});
  const Row b{.1, .2, .3, -.4};
  const Tensor weight = tensor(b.data(), {2, 2});
  const Gaussian sam{.coordinates = 2, .features = 2};
  expect_printed(row_at(prepare(sam, {.weights = std::span(&weight, 1)}), {.25, .75}),
                 {.587785, -.951057, .809017, -.309017});
}

}  // namespace
}  // namespace posenc::fourier_test
