// resize_test.cc: tables resized on a device as on the CPU.
#include "tests/cuda/device.h"

namespace posenc {
namespace {

using CudaResize = Cuda;

// Both make the same sums in f64, fused or not, and round them twice. The place between two of the
// 8 rows then differs by an ulp of 8, and each of four weights by up to 1.5 times that.
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
      for (int how = 0; how < 4; ++how)
        for (const int64_t rows : {2, 8, 19})
          for (const int64_t dim : {5, 16})
            expect_alike(dtype, placement, static_cast<Resize>(how), dim, rows);
}

TEST_F(CudaResize, NothingToDo) {
  Guarded table(DType::f32, {8, 4}), out(DType::f32, {0, 4});
  const OnDevice from(table.view()), to(out.view());
  resize(from.view(), to.view(), Resize::linear);
}

}  // namespace
}  // namespace posenc
