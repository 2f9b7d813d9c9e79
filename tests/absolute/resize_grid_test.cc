// resize_grid_test.cc: tables of grids resampled as PyTorch, timm and Transformers do, and back.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "posenc/posenc.h"
#include "tests/support/gradient.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"
#include "tests/support/paths.h"

namespace posenc::resize_grid_test {
namespace {

using Row = std::vector<double>;
using Sizes = std::vector<int64_t>;

Resize way(const std::string& name) {
  for (size_t i = 0; i < names_of<Resize>.size(); ++i)
    if (names_of<Resize>[i] == name) return static_cast<Resize>(i);
  ADD_FAILURE() << name;
  return {};
}

int64_t area(const Sizes& sides) {
  int64_t out = 1;
  for (int64_t s : sides) out *= s;
  return out;
}

Row resized(Row table, const Sizes& from, const Sizes& to, Resize how, int64_t keep = 0) {
  const int64_t dim = std::ssize(table) / (keep + area(from));
  Row out(static_cast<size_t>((keep + area(to)) * dim));
  resize_grid(tensor(table.data(), {keep + area(from), dim}),
              tensor(out.data(), {keep + area(to), dim}), from, to, how, keep);
  return out;
}

Row read(std::istream& in, int64_t count) {
  Row out(static_cast<size_t>(count));
  for (double& v : out) in >> v;
  return out;
}

void expect_near(const Row& a, const Row& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], tolerance) << i;
}

// Rows below 16, values below 4. On each axis the place is off by 16 units, weights (slopes below
// 2) by twice that, and the sum of up to 64 weighted rows, whose weights are at most 4 together, by
// 4 * 4 of that and its own roundings.
double tolerance(double unit) { return 2 * 16 * 2 * 4 * 4 * unit; }

TEST(ResizeGrid, AsTheLibraries) {
  std::ifstream file(golden_path("resize_grid.txt"));
  std::string text, who, how;
  std::getline(file, text);
  int lines = 0;
  while (std::getline(file, text)) {
    std::istringstream in(text);
    in >> who >> how;
    if (who == "ragged") continue;
    Sizes n(5);  // keep, from, to
    for (int64_t& v : n) in >> v;
    const Sizes from{n[1], n[2]}, to{n[3], n[4]};
    const Row table = read(in, 2 * (n[0] + area(from))), out = read(in, 2 * (n[0] + area(to)));
    ASSERT_TRUE(in);
    SCOPED_TRACE(text.substr(0, 40));
    expect_near(resized(table, from, to, way(how), n[0]), out,
                tolerance(who == "torch" ? 0x1p-52 : 0x1p-23));
    ++lines;
  }
  EXPECT_EQ(lines, 6 * 7 + 6 + 6);
}

// Images of many sizes, patches in merge blocks, read between the rows of one table.
TEST(ResizeGrid, RaggedAsTransformers) {
  std::ifstream file(golden_path("resize_grid.txt"));
  std::string text, who, model;
  int lines = 0;
  while (std::getline(file, text)) {
    std::istringstream in(text);
    in >> who >> model;
    if (who != "ragged") continue;
    int64_t side = 0, merge = 0, count = 0;
    in >> side >> merge >> count;
    std::vector<ImageSize> images(static_cast<size_t>(count));
    int64_t tokens = 0;
    for (ImageSize& image : images) {
      in >> image.frames >> image.height >> image.width;
      tokens += image.frames * image.height * image.width;
    }
    const Row table = read(in, 2 * side * side), golden = read(in, 2 * tokens);
    ASSERT_TRUE(in) << model;
    const bool corners = model == "qwen3-vl";
    const LearnedGrid scheme{.dim = 2,
                             .height = side,
                             .width = side,
                             .between = corners ? Between::linear : Between::cubic};
    const Tensor weight = tensor(table.data(), {side * side, 2});
    const auto at = sampled(images, {side, side, corners, merge});
    Row out(golden.size());
    fill(prepare(scheme, {.weights = std::span(&weight, 1)}), tensor(out.data(), {tokens, 2}), at);
    expect_near(out, golden, tolerance(0x1p-23));
    ++lines;
  }
  EXPECT_EQ(lines, 2);
}

// One image, read between rows or resampled, is the same table.
TEST(ResizeGrid, BetweenRowsIsResampled) {
  Random random(1);
  for (const Between between : {Between::linear, Between::cubic})
    for (const bool corners : {false, true}) {
      const LearnedGrid s{.dim = 3, .height = 5, .width = 4, .prefix = 2, .between = between};
      const Prepared p = prepare_random(s, random);
      const auto at = sampled({{1, 3, 7}}, {5, 4, corners, 1, 2});
      Row out(23 * 3);
      fill(p.plan, tensor(out.data(), {23, 3}), at);
      const Resize how = between == Between::linear
                             ? (corners ? Resize::linear_corners : Resize::linear)
                             : (corners ? Resize::cubic_corners : Resize::cubic);
      // Both make the same sums of 16 numbers below 1 in double, in another order.
      expect_near(out, resized(numbers(p.weights.arrays[0].view()), {5, 4}, {3, 7}, how, 2),
                  64 * 0x1p-53);
    }
}

TEST(ResizeGrid, WorkedNumbers) {  // printed with six digits after the point
  const Row table{0, 1, 4, 9};
  const auto line = [&](int64_t to, Resize how) { return resized(table, {4}, {to}, how); };
  expect_near(line(6, Resize::cubic_antialias),
              {-.065789, .294118, 1.361111, 3.361111, 6.823529, 9.328947}, 5.1e-7);
  expect_near(line(6, Resize::linear_corners), {0, .6, 1.6, 3.4, 6, 9}, 5.1e-7);
  expect_near(line(2, Resize::cubic_antialias), {.603306, 6.082645}, 5.1e-7);
  expect_near(line(2, Resize::cubic), {.218750, 6.781250}, 5.1e-7);
}

// Where both ends would have to be one row, that is the first.
TEST(ResizeGrid, OneRowWithCorners) {
  Random random(4);
  Row table(12);
  for (double& v : table) v = random.real(1, 2);
  const Row top(table.begin(), table.begin() + 4);
  for (const Resize how : {Resize::linear_corners, Resize::cubic_corners}) {
    EXPECT_EQ(resized(table, {3, 4}, {1, 4}, how), top);
    EXPECT_EQ(resized(table, {3, 4}, {1, 1}, how), Row{top[0]});
    EXPECT_EQ(resized(table, {12}, {1}, how), Row{top[0]});
  }
  EXPECT_EQ(sampled({{1, 1, 2}}, {3, 4, true}).ids, (Row{0, 0, 0, 3}));
}

// <resized(table), dout> = <table, backward(dout)>, and the gradient is added to what is there.
TEST(ResizeGrid, BackwardIsTheAdjoint) {
  Random random(2);
  const std::pair<Sizes, Sizes> sizes[] = {{{5, 3}, {2, 8}}, {{9, 4}, {3, 3}},
                                           {{1, 4}, {3, 1}}, {{4}, {11}},
                                           {{11}, {4}},      {{2, 3, 4}, {3, 2, 5}}};
  for (size_t w = 0; w < names_of<Resize>.size(); ++w)
    for (const auto& [from, to] : sizes)
      for (const DType dtype : float_types) {
        const int64_t keep = 2, dim = 3;
        Guarded table(DType::f64, {keep + area(from), dim}),
            out(DType::f64, {keep + area(to), dim});
        Guarded dout(dtype, {keep + area(to), dim}, Placement::spaced);
        Guarded dtable(compute_type(dtype), {keep + area(from), dim}, Placement::swapped);
        randomize(table.view(), random), randomize(dout.view(), random);
        randomize(dtable.view(), random, 1, 1);
        const auto how = static_cast<Resize>(w);
        resize_grid(table.view(), out.view(), from, to, how, keep);
        resize_grid_backward(dout.view(), dtable.view(), from, to, how, keep);
        ASSERT_TRUE(dtable.intact());
        Row g = numbers(dtable.view());
        double rounding = 0;
        for (double& v : g) rounding += half_ulp(dtable.view().dtype, v), v -= 1;
        const double terms = static_cast<double>(out.view().elements() + table.view().elements());
        EXPECT_NEAR(product(numbers(out.view()), numbers(dout.view())),
                    product(numbers(table.view()), g), rounding + terms * terms * 4 * 0x1p-53)
            << names_of<Resize>[w] << " " << to_string(dtype);
      }
}

// A constant table stays constant whatever the way: weights sum to one.
TEST(ResizeGrid, KeepsConstants) {
  for (size_t w = 2; w < names_of<Resize>.size(); ++w)
    for (const double v : resized(Row(15, 0.75), {5, 3}, {7, 2}, static_cast<Resize>(w)))
      EXPECT_NEAR(v, 0.75, 16 * 0x1p-53);
}

TEST(ResizeGrid, EveryTypeAndLayout) {
  Random random(3);
  for (DType dtype : float_types)
    for (Placement placement : all_placements) {
      Guarded table(dtype, {13, 5}, placement), out(dtype, {36, 5}, placement);
      randomize(table.view(), random);
      resize_grid(table.view(), out.view(), {4, 3}, {5, 7}, Resize::cubic_antialias, 1);
      ASSERT_TRUE(out.intact());
      const Row truth = resized(numbers(table.view()), {4, 3}, {5, 7}, Resize::cubic_antialias, 1);
      for (size_t n = 0; n < truth.size(); ++n)  // rounded to the compute type, then to the type
        ASSERT_NEAR(get(out.view(), static_cast<int64_t>(n)), truth[n],
                    half_ulp(compute_type(dtype), truth[n]) + half_ulp(dtype, truth[n] * 1.01));
    }
}

TEST(ResizeGrid, SpeaksUp) {
  Row table(12), out(20);
  const Tensor from = tensor(table.data(), {6, 2}), to = tensor(out.data(), {10, 2});
  const auto expect = [&](const Sizes& a, const Sizes& b, int64_t keep, const char* part) {
    expect_message([&] { resize_grid(from, to, a, b, Resize::cubic, keep); }, part);
  };
  expect({2, 3}, {10}, 0, "expected 1 to 4 sides, and as many new ones, got 2 and 1");
  expect({2, 2}, {2, 5}, 0, "expected table as f64 [4, 2], got f64 [6, 2]");
  expect({2, 3}, {2, 4}, 0, "expected out as f64 [8, 2], got f64 [10, 2]");
  expect({2, 3}, {2, 5}, -1, "expected keep of at least 0 that fits 64 bits, got -1");
  expect({2, -3}, {2, 5}, 0, "expected sides of at least 0 that fit 64 bits together, got -3");
}

}  // namespace
}  // namespace posenc::resize_grid_test
