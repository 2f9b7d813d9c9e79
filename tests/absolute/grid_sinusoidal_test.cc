// grid_sinusoidal_test.cc: sinusoids of grids against libraries, worked numbers and their formula.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "posenc/posenc.h"
#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/paths.h"

namespace posenc::grid_sinusoidal_test {
namespace {

using Row = std::vector<double>;

Absolute scheme_of(const std::string& preset, int64_t dim, int64_t axes) {
  Options options{{"preset", preset}, {"dim", std::to_string(dim)}};
  if (preset == "tensor2tensor-nd") options.push_back({"coordinates", std::to_string(axes)});
  return *as_family<Absolute>(make_scheme("grid-sinusoidal", options));
}

Row table_at(const Absolute& scheme, const Positions& at, int64_t tokens) {
  const auto plan = prepare(scheme);
  Row out(static_cast<size_t>(tokens * plan.dim()));
  fill(plan, tensor(out.data(), {tokens, plan.dim()}), at);
  return out;
}

Row read(std::istream& in, size_t count) {
  Row out(count);
  for (double& v : out) in >> v;
  return out;
}

void expect_near(const Row& a, const Row& b, double tolerance, const std::string& what) {
  ASSERT_EQ(a.size(), b.size()) << what;
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << what << " " << i;
}

// timm rounds frequencies and angles (below 4) to f32, and the result; others compute in f64, where
// exponents below 9.3 are rounded a few times.
double tolerance(const std::string& name) {
  return name.starts_with("timm") ? 3 * 4 * 0x1p-24 + 0x1p-25 : 4 * 0x1p-49 + 4e-16;
}

void expect_grid(std::istream& in) {
  std::string name;
  int64_t dim = 0, axes = 0, sides[3] = {1, 1, 1};
  in >> name >> dim >> axes;
  for (int64_t a = 3 - axes; a < 3; ++a) in >> sides[a];
  Grid g{.frames = sides[0], .height = sides[1], .width = sides[2], .time = axes == 3};
  if (name == "mae") g.before = 1, g.extra_at = -1;
  // On a square, reverse_coord changes nothing: the mesh turns round with the sides. On other
  // images its tokens go column by column.
  if (name == "timm-long") std::swap(g.height, g.width);
  const std::string preset = name == "timm-interleaved" || name == "timm-both" ? "moco-v3"
                             : name.starts_with("timm")                        ? "timm"
                                                                               : name;
  const PlannedPositions at = grid(g);
  const Row golden = read(in, static_cast<size_t>(at.tokens * dim));
  ASSERT_TRUE(in) << name;
  expect_near(table_at(scheme_of(preset, dim, axes), at, at.tokens), golden, tolerance(name), name);
}

// An image of 4 x 6 of which some is padding.
void expect_masked(std::istream& in) {
  std::string name;
  int64_t dim = 0, height = 0, width = 0;
  in >> name >> dim >> height >> width;
  const Row bits = read(in, static_cast<size_t>(height * width));
  const std::vector<int64_t> mask(bits.begin(), bits.end());
  const Row golden = read(in, mask.size() * static_cast<size_t>(dim));
  ASSERT_TRUE(in) << name;
  Masked rule;
  for (const auto& preset : Masked::presets())
    if (preset.name == name) rule = preset.value;
  const auto at = masked(tensor(mask.data(), {1, height, width}), rule);
  // Angles of up to 2 pi 1e6 (an empty line divides by 1e-6) and their frequencies are rounded.
  const double far = 2 * std::numbers::pi * 1e6;
  expect_near(table_at(scheme_of("detr", dim, 2), at, at.tokens), golden, 8 * far * 0x1p-53, name);
}

TEST(GridSinusoidal, AsTheLibraries) {
  std::ifstream file(golden_path("grid_sinusoidal.txt"));
  std::string text, kind;
  std::getline(file, text);
  int lines = 0;
  for (; std::getline(file, text); ++lines) {
    std::istringstream in(text);
    in >> kind;
    kind == "grid" ? expect_grid(in) : expect_masked(in);
  }
  EXPECT_EQ(lines, 15);
}

void expect_printed(const Row& row, const Row& printed) {  // six digits after the point
  expect_near(row, printed, 5.1e-7, "printed");
}

TEST(GridSinusoidal, WorkedNumbers) {
  const auto row = [](const std::string& preset, const Row& place) {
    return row_at(prepare(scheme_of(preset, 8, 2)), place);
  };
  expect_printed(row("mae", {1, 2}),
                 {.909297, .019999, -.416147, .999800, .841471, .010000, .540302, .999950});
  expect_printed(row("timm", {1, 2}),
                 {.841471, .010000, .909297, .019999, .540302, .999950, -.416147, .999800});
  const std::vector<int32_t> mask(16, 1);  // row 2 of 4 stands near pi
  const auto at = masked(tensor(mask.data(), {1, 4, 4}));
  const Row detr = row("detr", {at.at(0, 0, 5), at.at(1, 0, 5)});
  expect_printed({detr.begin(), detr.begin() + 4}, {1e-6, -1, .031411, .999507});
}

// A row is what each axis says alone: its blocks change with their own coordinate only.
TEST(GridSinusoidal, FactorsOverAxes) {
  Random random(1);
  for (const auto& preset : GridSinusoidal::presets()) {
    const GridSinusoidal& s = preset.value;
    const auto plan = prepare(s);
    Row here, there;
    for (int64_t a = 0; a < s.coordinates; ++a) here.push_back(random.real(1, 50));
    for (int64_t moved = 0; moved < s.coordinates; ++moved) {
      there = here;
      there[static_cast<size_t>(moved)] += 1.25;
      const Row before = row_at(plan, here), after = row_at(plan, there);
      const auto waves = s.waves({});
      for (size_t c = 0; c < before.size(); ++c) {
        const bool reads = waves[c].kind == Wave::Kind::sine &&
                           radians(waves[c].frequency[static_cast<size_t>(moved)]) != 0;
        EXPECT_EQ(before[c] != after[c], reads) << preset.name << " column " << c;
      }
    }
  }
}

// 2 ceil(dim / (2 axes)) columns for each axis, sines before cosines, cut at dim.
TEST(GridSinusoidal, SharesAreCutAtTheEnd) {
  Random random(2);
  for (const int64_t axes : {2, 3})
    for (int64_t dim = 1; dim < 27; ++dim) {
      Row place, truth;
      for (int64_t a = 0; a < axes; ++a) place.push_back(random.real(0, 50));
      const int64_t pairs = (dim + 2 * axes - 1) / (2 * axes);
      for (const double p : place)
        for (const bool cosine : {false, true})
          for (int64_t k = 0; k < pairs; ++k) {
            const double angle = p * std::pow(1e4, -double(k) / double(pairs));
            truth.push_back(cosine ? std::cos(angle) : std::sin(angle));
          }
      truth.resize(static_cast<size_t>(dim));
      const GridSinusoidal s{.dim = dim, .coordinates = axes, .uneven = Uneven::cut};
      // Angles below 50 are rounded, and the exponents below 9.3 of their frequencies.
      expect_near(row_at(prepare(s), place), truth, 16 * 50 * 0x1p-53, std::to_string(dim));
    }
}

// The product of two rows depends on the distance on each axis, not on where they stand.
TEST(GridSinusoidal, ProductsDependOnDistance) {
  const auto plan = prepare(scheme_of("mae", 64, 2));
  const Row a = row_at(plan, {3, 7}), b = row_at(plan, {5, 4}), c = row_at(plan, {20, 30}),
            d = row_at(plan, {22, 27});
  EXPECT_NEAR(product(a, b), product(c, d), 64 * (8e-16 + 64 * 0x1p-53));
}

TEST(GridSinusoidal, ClassTokensHaveZeros) {
  const auto plan = prepare(scheme_of("mae", 8, 2));
  EXPECT_EQ(row_at(plan, {-1, -1}), Row(8));
  EXPECT_NE(row_at(plan, {0, -1}), Row(8));
}

TEST(GridSinusoidal, SpeaksUp) {
  const auto expect = [](const GridSinusoidal& s, const char* part) {
    expect_message([&] { prepare(s); }, part);
  };
  expect({.coordinates = 9}, "expected coordinates from 1 to 8, got 9");
  expect({.block_axes = {0, 0}}, "expected block_axes with each axis from 0 to 1 once, got 0,0");
  expect({.shares = {1}}, "expected shares for 2 blocks, got 1");
  expect({.shares = {1, 0.5}}, "expected shares that are whole numbers from 1 to 1e6, got 0.5");
  std::vector<int32_t> mask{1, 2};
  expect_message(
      [&] {
        masked(tensor(mask.data(), {1, 1, 2}));
      },
      "expected a mask of 0 and 1, got 2 at row 0, pixel 0, 1");
}

// tensor2tensor adds nothing there, without a word.
TEST(GridSinusoidal, RefusesATableOfZeros) {
  expect_message([] { GridSinusoidal{.dim = 3, .rule = TimescalesRule{}}.check(); },
                 "[grid-sinusoidal] expected dim with room for a sine and a cosine of an axis, got "
                 "3 for 2 axes");
  GridSinusoidal{.dim = 4, .rule = TimescalesRule{}}.check();
  GridSinusoidal{.dim = 3, .uneven = Uneven::cut}.check();
}

}  // namespace
}  // namespace posenc::grid_sinusoidal_test
