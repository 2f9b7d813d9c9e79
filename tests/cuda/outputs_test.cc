// outputs_test.cc: vectors of the distance in the values, on a device against f64 on the CPU.
#include "tests/cuda/content.h"

namespace posenc::outputs_test {
namespace {

using CudaOutputs = Cuda;

// A tensor of f64 with the same numbers.
std::unique_ptr<Guarded> copy_in_f64(const Tensor& t) {
  const std::vector<int64_t> shape(t.shape.begin(), t.shape.begin() + t.rank);
  auto out = std::make_unique<Guarded>(DType::f64, shape);
  for (int64_t n = 0; n < t.elements(); ++n) set(out->view(), n, get(t, n));
  return out;
}

// Vectors in the values, and their gradients, which are added to what is there. Numbers are up to
// 1; outputs sum over keys, probabilities over the head, the table over all.
void expect_outputs(const Content& scheme, DType dtype, const Case& c, Placement placement) {
  SCOPED_TRACE(to_string(dtype));
  Random random(19);
  const Sizes& n = c.sizes;
  const Stand t(scheme, dtype, n, random, placement);
  const StandOnDevice there(t);
  const OptionsOnDevice o(c.options);
  const DType compute = compute_type(dtype);
  const Guarded out(dtype, {n.rows, n.queries, n.heads, t.dim}, placement),
      dp(compute, {n.rows, n.heads, n.queries, n.keys}, placement);
  const Weights dw = Stand::random_values(weights(scheme), random);
  randomize(out.view(), random), randomize(dp.view(), random);
  const auto p64 = copy_in_f64(t.scores.view()), out64 = copy_in_f64(out.view()),
             dp64 = copy_in_f64(dp.view());
  Weights dw64 = zero_weights(weights(scheme), DType::f64),
          dw_there = zero_weights(weights(scheme), compute);
  for (const Weights* to : {&dw64, &dw_there})
    for (int64_t i = 0; i < dw.arrays[0].view().elements(); ++i)
      set(to->arrays[0].view(), i, get(dw.arrays[0].view(), i));
  const OnDevice dout(out.view()), ddp(dp.view());
  const WeightsOnDevice ddw(dw_there);
  outputs_backward(t.plan, p64->view(), out64->view(), dp64->view(), dw64.views(), c.options);
  outputs_backward(there.plan, there.scores.view(), dout.view(), ddp.view(), ddw.views(),
                   o.options);
  add_to_outputs(t.plan, p64->view(), out64->view(), c.options);
  add_to_outputs(there.plan, there.scores.view(), dout.view(), o.options);
  dout.fetch(), ddp.fetch(), ddw.fetch();
  const auto keys = static_cast<double>(n.keys), dim = static_cast<double>(t.dim);
  const auto all = static_cast<double>(t.scores.view().elements());
  expect_near(out.view(), out64->view(), allowed(dtype, {.size = keys + 1, .length = keys}));
  expect_near(dp.view(), dp64->view(), allowed(compute, {.size = dim + 1, .length = dim}));
  expect_near(dw_there.arrays[0].view(), dw64.arrays[0].view(),
              allowed(compute, {.size = all + 1, .length = all}));
  EXPECT_TRUE(out.intact() && dp.intact());
}

TEST_F(CudaOutputs, EveryTypeViewAndPlace) {
  const Ids ids;
  size_t n = 0;
  for (const Content& scheme : all_schemes())
    if (std::holds_alternative<Shaw>(scheme))
      for (const Case& c : ids.cases(scheme))
        for (const DType dtype : float_types)
          expect_outputs(scheme, dtype, c, all_placements[n++ % std::size(all_placements)]);
}

}  // namespace
}  // namespace posenc::outputs_test
