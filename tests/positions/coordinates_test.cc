// coordinates_test.cc: real positions of patches as timm, EVA and DINOv3 place them.
#include "posenc/positions/coordinates.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <limits>

#include "tests/positions/golden.h"
#include "tests/support/message.h"

namespace posenc::coordinates_test {
namespace {

using Reals = std::vector<double>;

TEST(Coordinates, PlacesAlongASide) {
  const auto ys = [](CoordinateRule rule, int64_t n, int64_t other = 1) {
    const auto plan = coordinates({n, other, rule});
    Reals out;
    for (int64_t i = 0; i < n; ++i) out.push_back(plan.at(0, 0, i * other));
    return out;
  };
  EXPECT_EQ(ys(Linspace{}, 5), (Reals{-1, -0.5, 0, 0.5, 1}));
  EXPECT_EQ(ys(Linspace{}, 1), (Reals{-1}));
  EXPECT_EQ(ys(Linspace{.reference_height = 4}, 2), (Reals{-2, 2}));
  EXPECT_EQ(ys(Indices{}, 3), (Reals{0, 1, 2}));
  EXPECT_EQ(ys(Indices{.offset = 0.5, .reference_height = 8}, 4), (Reals{1, 3, 5, 7}));
  EXPECT_EQ(ys(Centers{}, 4, 2), (Reals{-0.75, -0.25, 0.25, 0.75}));
  EXPECT_EQ(ys(Centers{SideRule::min}, 4, 2), (Reals{-0.5, 0.5, 1.5, 2.5}));
  EXPECT_EQ(ys(Centers{SideRule::max}, 2, 4), (Reals{-0.75, -0.25}));
}

// A 2 x 2 grid of DINOv3: patch (0, 1) stands at y = -1/2, x = 1/2.
TEST(Coordinates, TwoByTwo) {
  const auto yx = coordinates({2, 2});
  EXPECT_EQ(yx, (PlannedCoordinates{2, 1, 4, {-0.5, -0.5, 0.5, 0.5, -0.5, 0.5, -0.5, 0.5}}));
  const auto xy = coordinates({2, 2, Centers{}, AxisOrder::xy});
  EXPECT_EQ(xy.ids, (Reals{-0.5, 0.5, -0.5, 0.5, -0.5, -0.5, 0.5, 0.5}));
}

CoordinateRule rule_of(const std::string& name, double parameter, double height, double width) {
  const auto reference = [](double side) { return side ? std::optional(side) : std::nullopt; };
  if (name == "linspace") return Linspace{reference(height), reference(width)};
  if (name == "index") return Indices{parameter, reference(height), reference(width)};
  const SideRule side = name == "min"   ? SideRule::min
                        : name == "max" ? SideRule::max
                                        : SideRule::separate;
  return Centers{side, parameter};
}

// They compute in f32, u = 2^-24. linspace: the step, its product and the sum err by at most 3 u
// below 1, then two more roundings when rescaled; index: three roundings; centers: two roundings
// of at most |c| + 1, one of |c|. So 5 u of the largest number on the way covers all three.
TEST(Coordinates, AsTimmAndTransformersDoIt) {
  auto lines = golden_lines("coordinates");
  ASSERT_EQ(lines.size(), 32u);
  for (auto& line : lines) {
    const auto name = next<std::string>(line);
    const auto h = next<int64_t>(line), w = next<int64_t>(line);
    const auto parameter = next<double>(line);
    const auto rh = next<double>(line), rw = next<double>(line);
    const auto expected = next_values<double>(line, next<int64_t>(line));
    const CoordinateRule rule = rule_of(name, parameter, rh, rw);
    const auto plan = coordinates({h, w, rule});
    EXPECT_EQ(coordinates({h, w, rule, AxisOrder::yx, true}).ids, expected) << name << " in f32";
    ASSERT_EQ(plan.ids.size(), expected.size());
    const double scale = std::max({1.0, rh / static_cast<double>(h), rw / static_cast<double>(w)});
    for (size_t i = 0; i < expected.size(); ++i)
      EXPECT_NEAR(plan.ids[i], expected[i], 5 * 0x1p-24 * std::max(scale, std::abs(expected[i])))
          << name << " " << h << " x " << w;
  }
}

RC_GTEST_PROP(Coordinates, CentersAndLinspaceAreSymmetric, ()) {
  const auto h = *rc::gen::inRange<int64_t>(2, 40), w = *rc::gen::inRange<int64_t>(2, 40);
  for (const CoordinateRule& rule : {CoordinateRule(Linspace{}), CoordinateRule(Centers{})}) {
    const auto plan = coordinates({h, w, rule});
    // Two roundings below 2 on each side.
    for (int64_t n = 0; n < h * w; ++n)
      RC_ASSERT(std::abs(plan.at(0, 0, n) + plan.at(0, 0, h * w - 1 - n)) <= 4 * 0x1p-52);
  }
}

TEST(Coordinates, SaysWhatIsWrong) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  expect_message(
      [] {
        coordinates({-1, 2});
      },
      "[coordinates] expected height of at least 0, got -1");
  expect_message([] { coordinates({2, -1}); }, "expected width of at least 0, got -1");
  expect_message(
      [] {
        coordinates({2, 2, Linspace{.reference_height = 0}});
      },
      "expected a reference side above 0, got 0");
  expect_message([] { coordinates({2, 2, Indices{.reference_width = -4}}); }, "got -4");
  expect_message(
      [] {
        coordinates({2, 2, Indices{.offset = infinite}});
      },
      "expected a finite offset, got inf");
  expect_message([] { coordinates({2, 2, Centers{.offset = -infinite}}); }, "got -inf");
  expect_message([] { coordinates({INT64_MAX, 2}); }, "expected patches that fit 64 bits");
  EXPECT_EQ(coordinates({0, INT64_MAX}).tokens, 0);
}

}  // namespace
}  // namespace posenc::coordinates_test
