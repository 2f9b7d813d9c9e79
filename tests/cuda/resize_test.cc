// resize_test.cc: tables resized on a device as on the CPU.
#include "tests/cuda/device.h"

namespace posenc::resize_test {
namespace {

using CudaResize = Cuda;

constexpr int ways = static_cast<int>(names_of<Resize>.size());

// Both make the same sums in f64, fused or not, and round them twice. The place between two of the
// 8 rows then differs by an ulp of 8, and each of four weights, or of more that are divided by
// their sum, by up to 1.5 times that.
void expect_alike(DType dtype, Placement placement, Resize how, int64_t dim, int64_t rows) {
  Random random(3);
  const int64_t keep = rows % 3;
  Guarded table(dtype, {8, dim}, placement), wanted(dtype, {rows, dim}),
      got(dtype, {rows, dim}, placement);
  randomize(table.view(), random);
  const OnDevice from(table.view()), to(got.view());
  resize(table.view(), wanted.view(), how, keep);
  resize(from.view(), to.view(), how, keep);
  to.fetch();
  ASSERT_TRUE(got.intact());
  for (int64_t n = 0; n < rows * dim; ++n) {
    const double truth = get(wanted.view(), n);
    const double roundings = half_ulp(compute_type(dtype), truth) + half_ulp(dtype, truth * 1.01);
    ASSERT_NEAR(get(got.view(), n), truth, 2 * roundings + 12 * half_ulp(DType::f64, 8)) << n;
  }
}

TEST_F(CudaResize, IsThatOfTheCpu) {
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements)
      for (int how = 0; how < ways; ++how)
        for (const int64_t rows : {2, 8, 19})
          for (const int64_t dim : {5, 16})
            expect_alike(dtype, placement, static_cast<Resize>(how), dim, rows);
}

using Sizes = std::vector<int64_t>;

int64_t area(const Sizes& sides) {
  int64_t out = 1;
  for (int64_t s : sides) out *= s;
  return out;
}

// On two or three sides up to 64 products of weights are summed, and up to 900 in the adjoint;
// those are below 2 each, what they multiply below 1.
void expect_grids_alike(DType dtype, const Sizes& from, const Sizes& to, Resize how, bool adjoint) {
  Random random(4);
  const int64_t keep = 1, dim = 8;
  const Sizes &source = adjoint ? to : from, &target = adjoint ? from : to;
  const DType made = adjoint ? compute_type(dtype) : dtype;
  Guarded in(dtype, {keep + area(source), dim}), got(made, {keep + area(target), dim}),
      wanted(made, {keep + area(target), dim});
  randomize(in.view(), random), randomize(got.view(), random, 1, 1);
  randomize(wanted.view(), random, 1, 1);
  const OnDevice there(in.view()), out(got.view());
  if (adjoint) {
    resize_grid_backward(in.view(), wanted.view(), from, to, how, keep);
    resize_grid_backward(there.view(), out.view(), from, to, how, keep);
  } else {
    resize_grid(in.view(), wanted.view(), from, to, how, keep);
    resize_grid(there.view(), out.view(), from, to, how, keep);
  }
  out.fetch();
  ASSERT_TRUE(got.intact());
  for (int64_t n = 0; n < got.view().elements(); ++n) {
    const double truth = get(wanted.view(), n);
    const double roundings = half_ulp(compute_type(made), truth) + half_ulp(made, truth * 1.01);
    ASSERT_NEAR(get(got.view(), n), truth, 2 * roundings + 900 * 2 * 16 * half_ulp(DType::f64, 8))
        << n;
  }
}

TEST_F(CudaResize, GridsAreThoseOfTheCpu) {
  for (const DType dtype : float_types)
    for (int how = 0; how < ways; ++how)
      for (const bool adjoint : {false, true})
        for (const auto& [from, to] :
             {std::pair<Sizes, Sizes>{{5, 3}, {2, 8}}, {{7, 6}, {3, 2}}, {{2, 3, 4}, {3, 2, 5}}}) {
          SCOPED_TRACE(std::string(names_of<Resize>[static_cast<size_t>(how)]) + " " +
                       std::string(to_string(dtype)) + (adjoint ? " adjoint" : ""));
          expect_grids_alike(dtype, from, to, static_cast<Resize>(how), adjoint);
        }
}

TEST_F(CudaResize, NothingToDo) {
  Guarded table(DType::f32, {8, 4}), out(DType::f32, {0, 4});
  const OnDevice from(table.view()), to(out.view());
  resize(from.view(), to.view(), Resize::linear);
}

}  // namespace
}  // namespace posenc::resize_test
