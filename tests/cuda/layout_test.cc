// layout_test.cc: weights in another pair layout on a device, bit for bit as on the CPU.
#include "posenc/layout.h"

#include "tests/cuda/device.h"

namespace posenc::layout_test {
namespace {

using CudaLayout = Cuda;

void expect_alike(DType dtype, Placement placement, const HeadSpan& span, int64_t columns,
                  Layout from, Layout to) {
  SCOPED_TRACE(std::string(to_string(dtype)) + " " + std::to_string(span.dim) + " " +
               std::to_string(columns));
  std::vector<int64_t> shape{span.heads * span.dim};
  if (columns > 0) shape.push_back(columns);
  Random random(2);
  Guarded weight(dtype, shape, placement), wanted(dtype, shape), out(dtype, shape, placement);
  is_float(dtype) ? randomize(weight.view(), random)
                  : randomize_ids(weight.view(), random, -1000, 1000);
  const OnDevice there(weight.view()), device_out(out.view());
  convert_layout(weight.view(), wanted.view(), from, to, span);
  convert_layout(there.view(), device_out.view(), from, to, span);
  convert_layout(there.view(), there.view(), from, to, span);  // in place
  device_out.fetch(), there.fetch();
  ASSERT_TRUE(out.intact() && weight.intact());
  EXPECT_EQ(numbers(out.view()), numbers(wanted.view()));
  EXPECT_EQ(numbers(weight.view()), numbers(wanted.view()));
}

TEST_F(CudaLayout, IsThatOfTheCpu) {
  const HeadSpan spans[] = {{.heads = 3, .dim = 8},
                            {.heads = 2, .dim = 13, .rotary_dim = 8, .rotary_offset = -10},
                            {.heads = 1, .dim = 24, .blocks = 3},
                            {.heads = 2, .dim = 10, .rotary_dim = 0}};
  using enum Layout;
  for (const DType dtype :
       {DType::f32, DType::f64, DType::f16, DType::bf16, DType::i32, DType::i64})
    for (const Placement placement : all_placements)
      for (const HeadSpan& span : spans)
        for (const int64_t columns : {0, 5, 40, 300}) {
          expect_alike(dtype, placement, span, columns, half, interleaved);
          expect_alike(dtype, placement, span, columns, interleaved_in_half_out, half);
          expect_alike(dtype, placement, span, columns, half, half);
        }
}

// Heads of more features than a block holds.
TEST_F(CudaLayout, LargeHeads) {
  for (const int64_t dim : {3000, 5000})
    for (const DType dtype : {DType::f64, DType::bf16})
      expect_alike(dtype, Placement::dense, {.heads = 2, .dim = dim}, 16, Layout::half,
                   Layout::interleaved);
}

}  // namespace
}  // namespace posenc::layout_test
