// resize_test.cc: a learned table of another length.
#include <gtest/gtest.h>

#include <fstream>

#include "posenc/absolute.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/paths.h"

namespace posenc::resize_test {
namespace {

std::vector<double> resized(std::vector<double> table, int64_t rows, int64_t new_rows, Resize how) {
  const int64_t dim = std::ssize(table) / rows;
  std::vector<double> out(static_cast<size_t>(new_rows * dim));
  resize(tensor(table.data(), {rows, dim}), tensor(out.data(), {new_rows, dim}), how);
  return out;
}

void expect_near(const std::vector<double>& a, const std::vector<double>& b, double tolerance) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) EXPECT_NEAR(a[i], b[i], tolerance) << i;
}

TEST(Resize, WorkedNumbers) {  // printed with six digits after the point
  const std::vector<double> table{0, 1, 4, 9};
  expect_near(resized(table, 4, 6, Resize::cubic),
              {-.086806, .218750, 1.430556, 3.152778, 6.781250, 9.434028}, 5.1e-7);
  expect_near(resized(table, 4, 2, Resize::cubic), {.218750, 6.781250}, 5.1e-7);
}

TEST(Resize, AsTorch) {
  std::ifstream file(golden_path("resize.txt"));
  std::string line, mode;
  std::getline(file, line);
  int lines = 0;
  for (int64_t rows, new_rows; file >> mode >> rows >> new_rows; ++lines) {
    std::vector<double> table(static_cast<size_t>(2 * rows)),
        out(static_cast<size_t>(2 * new_rows));
    for (double& v : table) file >> v;
    for (double& v : out) file >> v;
    SCOPED_TRACE(mode + " " + std::to_string(rows) + " to " + std::to_string(new_rows));
    // Rows below 16, values below 4: the centre is off by 16 * 2^-52, the weights (slopes below
    // 2) by twice that, a sum of four terms by four times 4 * 2 of it.
    expect_near(resized(table, rows, new_rows, mode == "linear" ? Resize::linear : Resize::cubic),
                out, 16 * 2 * 4 * 4 * 0x1p-52);
  }
  EXPECT_EQ(lines, 16);
}

TEST(Resize, CopyAndRepeat) {
  const std::vector<double> table{1, 2, 3, 4, 5, 6};
  using V = std::vector<double>;
  EXPECT_EQ(resized(table, 3, 5, Resize::copy), (V{1, 2, 3, 4, 5, 6, 0, 0, 0, 0}));
  EXPECT_EQ(resized(table, 3, 2, Resize::copy), (V{1, 2, 3, 4}));
  EXPECT_EQ(resized(table, 3, 7, Resize::repeat), (V{1, 2, 3, 4, 5, 6, 1, 2, 3, 4, 5, 6, 1, 2}));
  EXPECT_EQ(resized(table, 3, 0, Resize::repeat), V{});
}

constexpr int ways = static_cast<int>(names_of<Resize>.size());

TEST(Resize, SameLengthChangesNothing) {
  Random random(1);
  for (DType dtype : float_types)
    for (int how = 0; how < ways; ++how) {
      Guarded table(dtype, {7, 5}), out(dtype, {7, 5});
      randomize(table.view(), random);
      resize(table.view(), out.view(), static_cast<Resize>(how));
      EXPECT_EQ(table.bytes(), out.bytes());
    }
}

// The first `keep` rows are as they were, the others as if those were not there; any layout, type.
TEST(Resize, KeepsRows) {
  Random random(2);
  for (DType dtype : float_types)
    for (Placement placement : all_placements)
      for (int how = 0; how < ways; ++how) {
        const int64_t keep = 2, rows = 6, new_rows = 9, dim = 3;
        Guarded table(dtype, {keep + rows, dim}, placement),
            out(dtype, {keep + new_rows, dim}, placement);
        randomize(table.view(), random);
        resize(table.view(), out.view(), static_cast<Resize>(how), keep);
        ASSERT_TRUE(out.intact());
        const auto all = numbers(table.view()), made = numbers(out.view());
        const auto rest = resized({all.begin() + keep * dim, all.end()}, rows, new_rows,
                                  static_cast<Resize>(how));
        for (size_t n = 0; n < made.size(); ++n) {
          const bool kept = n < static_cast<size_t>(keep * dim);
          const double truth = kept ? all[n] : rest[n - static_cast<size_t>(keep * dim)];
          // The sum is made in double, then rounded to the compute type and to the type.
          ASSERT_NEAR(made[n], truth,
                      half_ulp(compute_type(dtype), truth) + half_ulp(dtype, truth * 1.01));
        }
      }
}

}  // namespace
}  // namespace posenc::resize_test
