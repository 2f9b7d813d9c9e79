// resize_test.cc: tables of windows of another size.
#include "posenc/absolute.h"
#include "posenc/relative.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::resize_test {
namespace {

using Numbers = std::vector<double>;
constexpr WindowResize all_ways[] = {WindowResize::cubic, WindowResize::linear,
                                     WindowResize::geometric};

Numbers resized(Numbers table, WindowSize from, WindowSize to, WindowResize how,
                int64_t extra = 0) {
  const int64_t heads = std::ssize(table) / (from.offsets() + extra);
  Numbers out(static_cast<size_t>((to.offsets() + extra) * heads));
  resize_window(tensor(table.data(), {from.offsets() + extra, heads}),
                tensor(out.data(), {to.offsets() + extra, heads}), from, to, how);
  return out;
}

Numbers random_table(WindowSize w, int64_t heads, int64_t extra, uint64_t seed) {
  Random random(seed);
  Numbers out(static_cast<size_t>((w.offsets() + extra) * heads));
  for (double& v : out) v = random.real();
  return out;
}

constexpr WindowSize small{3, 5}, large{6, 4};

// As an image: first every column, then every row, each as a table of its own.
TEST(ResizeWindow, CubicAndLinearGoSideBySide) {
  for (const WindowResize how : {WindowResize::cubic, WindowResize::linear}) {
    const Resize along = how == WindowResize::cubic ? Resize::cubic : Resize::linear;
    const auto table = random_table(small, 1, 0, 1);
    const int64_t rows = 5, columns = 9, new_rows = 11, new_columns = 7;
    Numbers tall(static_cast<size_t>(new_rows * columns)),
        wide(static_cast<size_t>(new_columns * new_rows));
    resize(tensor(table.data(), {rows, columns}), tensor(tall.data(), {new_rows, columns}), along);
    Tensor columns_first = tensor(tall.data(), {columns, new_rows});
    columns_first.stride = {1, columns};
    resize(columns_first, tensor(wide.data(), {new_columns, new_rows}), along);
    const auto found = resized(table, small, large, how);
    for (int64_t y = 0; y < new_rows; ++y)
      for (int64_t x = 0; x < new_columns; ++x)
        // Sixteen terms below 2 in size, summed in two orders.
        EXPECT_NEAR(found[static_cast<size_t>(y * new_columns + x)],
                    wide[static_cast<size_t>(x * new_rows + y)], 2 * 2 * 16 * 20 * 0x1p-53);
  }
}

// Where BEiT's code places the old offsets along a side, and what lies between them.
struct TestPlaces {
  Numbers at{0};
  TestPlaces(int64_t side, int64_t new_side) {
    double left = 1.01, right = 1.5, q = 0;
    while (right - left > 1e-6) {
      q = (left + right) / 2;
      double sum = 0;
      for (int64_t i = 0; i < side - 1; ++i) sum += std::pow(q, i);
      (sum > static_cast<double>(new_side - 1) ? right : left) = q;
    }
    double place = 0;
    for (int64_t i = 0; i < side - 1; ++i) {
      place += std::pow(q, i);
      at.push_back(place), at.insert(at.begin(), -place);
    }
  }
  // Weight of old offset i in what stands at x.
  double weight(size_t i, double x) const {
    x = std::clamp(x, at.front(), at.back());
    const double below = i > 0 ? (x - at[i - 1]) / (at[i] - at[i - 1]) : 1;
    const double above = i + 1 < at.size() ? (at[i + 1] - x) / (at[i + 1] - at[i]) : 1;
    return std::max(0.0, std::min(below, above));
  }
};

TEST(ResizeWindow, GeometricPlaces) {
  for (const auto& [from, to] :
       {std::pair{small, large}, {large, small}, {WindowSize{7, 7}, {14, 10}}}) {
    const auto table = random_table(from, 2, 0, 2);
    const auto found = resized(table, from, to, WindowResize::geometric);
    const TestPlaces down(from.height, to.height), across(from.width, to.width);
    const int64_t columns = 2 * to.width - 1, old = 2 * from.width - 1;
    for (int64_t r = 0; r < to.offsets(); ++r)
      for (size_t h = 0; h < 2; ++h) {
        double sum = 0;
        for (size_t i = 0; i < down.at.size(); ++i)
          for (size_t j = 0; j < across.at.size(); ++j)
            sum += down.weight(i, static_cast<double>(r / columns - to.height + 1)) *
                   across.weight(j, static_cast<double>(r % columns - to.width + 1)) *
                   table[(i * static_cast<size_t>(old) + j) * 2 + h];
        // TestPlaces up to 64 within 16 roundings, so weights within 2^-43; values within 1. A step
        // of the bisection decided otherwise would show as 1e-6.
        ASSERT_NEAR(found[static_cast<size_t>(r) * 2 + h], sum, 4 * 0x1p-43) << r;
      }
  }
}

TEST(ResizeWindow, CentreStaysAndEndsAreKept) {
  Numbers table(9);
  for (size_t i = 0; i < 9; ++i) table[i] = static_cast<double>(i);
  for (const WindowResize how : all_ways) {
    const auto found = resized(table, {2, 2}, {3, 3}, how);
    EXPECT_NEAR(found[12], 4, 1e-14) << static_cast<int>(how);  // symmetric around the centre
    for (size_t i = 0; i < 25; ++i) EXPECT_NEAR(found[i] + found[24 - i], 8, 1e-14);
  }
  // One place on each side, at 1: offsets 1 and 2 both read the end.
  const Numbers ends{0, 0, 1, 2, 2, 0, 0, 1, 2, 2, 3, 3, 4, 5, 5, 6, 6, 7, 8, 8, 6, 6, 7, 8, 8};
  EXPECT_EQ(resized(table, {2, 2}, {3, 3}, WindowResize::geometric), ends);
}

TEST(ResizeWindow, SameWindowChangesNothing) {
  for (const WindowResize how : all_ways) {
    const auto table = random_table(small, 3, 3, 3);
    EXPECT_EQ(resized(table, small, small, how, 3), table);
  }
}

TEST(ResizeWindow, WindowsOfOne) {
  for (const WindowResize how : all_ways) {
    for (const double v : resized({5}, {1, 1}, {2, 2}, how))
      EXPECT_NEAR(v, 5, 5 * 16 * 4 * 0x1p-53);  // sixteen weights that add up to 1
    EXPECT_EQ(resized(random_table({3, 1}, 1, 0, 4), {3, 1}, {3, 1}, how),
              random_table({3, 1}, 1, 0, 4));
  }
}

TEST(ResizeWindow, KeptRowsStandAtTheEnd) {
  for (const WindowResize how : all_ways) {
    const auto table = random_table(small, 2, 3, 5);
    const auto found = resized(table, small, large, how, 3);
    const Numbers offsets(table.begin(), table.end() - 6);
    auto truth = resized(offsets, small, large, how);
    truth.insert(truth.end(), table.end() - 6, table.end());
    EXPECT_EQ(found, truth);
  }
}

TEST(ResizeWindow, EveryTypeAndPlacement) {
  Random random(6);
  for (DType dtype : float_types)
    for (Placement placement : all_placements)
      for (const WindowResize how : all_ways) {
        Guarded table(dtype, {small.offsets() + 3, 2}, placement),
            out(dtype, {large.offsets() + 3, 2}, placement);
        randomize(table.view(), random);
        resize_window(table.view(), out.view(), small, large, how);
        const auto truth = resized(numbers(table.view()), small, large, how, 3);
        const auto found = numbers(out.view());
        for (size_t i = 0; i < truth.size(); ++i)  // rounded to the compute type, then to the type
          ASSERT_NEAR(found[i], truth[i],
                      half_ulp(compute_type(dtype), truth[i]) + half_ulp(dtype, truth[i] * 1.01));
        ASSERT_TRUE(table.intact() && out.intact());
      }
}

TEST(ResizeWindow, Sentences) {
  Guarded table(DType::f32, {small.offsets(), 2}), out(DType::f32, {large.offsets(), 2});
  const auto bytes = out.bytes();
  const auto said = [&](const Tensor& t, const Tensor& o, WindowSize from, WindowSize to,
                        const char* part) {
    expect_message([&] { resize_window(t, o, from, to, WindowResize::cubic); }, part);
    EXPECT_EQ(out.bytes(), bytes);
  };
  said(table.view(), out.view(), {0, 5}, large,
       "[resize_window] expected height and width from 1 to 1024, got 0 and 5");
  said(
      table.view(), out.view(), small, small,
      "[resize_window] expected [45 + extra, heads] and [45 + extra, heads] of one float type, got "
      "f32 [45, 2] and f32 [77, 2]");
  said(table.view(), out.view(), large, large, "got f32 [45, 2] and f32 [77, 2]");
  said(table.view(), table.view(), small, small, "expected out apart from table");
  Tensor other = out.view();
  other.dtype = DType::bf16;
  said(table.view(), other, small, large, "got f32 [45, 2] and bf16 [77, 2]");
  other = out.view(), other.data = nullptr;
  said(table.view(), other, small, large, "expected out with data");
  other = out.view(), other.stride[1] = 0;
  said(table.view(), other, small, large, "[resize_window] expected");
}

}  // namespace
}  // namespace posenc::resize_test
