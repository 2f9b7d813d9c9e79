// c_test.cc: the verbs of posenc_c.h queue their work on the stream that they are given.
#include "posenc/posenc_c.h"

#include "posenc/content.h"
#include "posenc/relative.h"
#include "posenc/rotary.h"
#include "tests/cuda/capture.h"

namespace posenc::c_test {
namespace {

using CudaC = Cuda;

// The same tensor as C has it: it refers to the sizes of the one that is given.
posenc_tensor as_c(const Tensor& t) {
  posenc_tensor out{};
  out.data = t.data, out.device.device_type = t.device == Device::cuda ? 2 : 1;
  out.ndim = t.rank, out.shape = const_cast<int64_t*>(t.shape.data());
  out.strides = const_cast<int64_t*>(t.stride.data());
  out.dtype.code = is_float(t.dtype) ? 2 : 0, out.dtype.lanes = 1;
  out.dtype.bits = static_cast<uint8_t>(8 * size_of(t.dtype));
  return out;
}
std::vector<posenc_tensor> as_c(Views tensors) {
  std::vector<posenc_tensor> out;
  for (const Tensor& t : tensors) out.push_back(as_c(t));
  return out;
}

// A plan with weights of the host. Its copy is on the device once a call was made.
template <class S>
std::shared_ptr<posenc_plan> plan_of(const S& scheme, const char* options) {
  Random random(4);
  const Weights given = random_weights(scheme.weights(), random);
  const auto views = given.views();
  const auto weights = as_c(views);
  posenc_plan* plan = nullptr;
  EXPECT_EQ(posenc_prepare(std::string(S::name).c_str(), options, weights.data(),
                           static_cast<int32_t>(weights.size()), 0, 0, &plan),
            POSENC_OK)
      << posenc_last_error();
  return {plan, posenc_free};
}

// verb(plan, tensors, stream) of tensors as C has them.
template <class Verb>
void expect_on_stream(const std::vector<const Guarded*>& tensors,
                      const std::shared_ptr<posenc_plan>& plan, const Verb& verb) {
  expect_captured(
      tensors, [&] { return plan; },
      [&](const std::shared_ptr<posenc_plan>& p, Views views, Stream s) {
        EXPECT_EQ(verb(p.get(), as_c(views).data(), s.handle), POSENC_OK) << posenc_last_error();
      });
}
using Plan = const posenc_plan*;
using Tensors = const posenc_tensor*;

TEST_F(CudaC, Rows) {
  const auto plan = plan_of(Time2Vec{.dim = 8}, R"({"dim": 8})");
  const Numbers ids(DType::i64, {2, 6}), x(DType::f32, {2, 6, 8}), embedding(DType::f32, {10, 8}),
      rate(DType::f32, {8}), offset(DType::f32, {8});
  const posenc_positions at{2, nullptr};
  expect_on_stream({&x}, plan,
                   [&](Plan p, Tensors t, void* s) { return posenc_fill(p, t, &at, s); });
  expect_on_stream({&x}, plan,
                   [&](Plan p, Tensors t, void* s) { return posenc_add(p, t, t, &at, s); });
  expect_on_stream({&ids, &embedding, &x}, plan, [&](Plan p, Tensors t, void* s) {
    return posenc_embed(p, t, t + 1, 3, t + 2, &at, s);
  });
  expect_on_stream({&x, &rate, &offset}, plan, [&](Plan p, Tensors t, void* s) {
    return posenc_backward(p, t, t + 1, 2, &at, s);
  });
}

TEST_F(CudaC, Turns) {
  const auto plan = plan_of(Rope{}, R"({"dim": 32, "layout": "half"})");
  const Numbers q(DType::f32, {6, 3, 32}), k(DType::f32, {6, 2, 32});
  const posenc_positions at{2, nullptr};
  for (const auto verb : {posenc_rotate, posenc_rotate_adjoint})
    expect_on_stream({&q, &k}, plan, [&](Plan p, Tensors t, void* s) {
      return verb(p, t, t + 1, nullptr, nullptr, &at, s);
    });
}

TEST_F(CudaC, Scores) {
  const auto plan = plan_of(T5Bias{.heads = 3, .buckets = 12}, R"({"heads": 3, "buckets": 12})");
  const auto content =
      plan_of(Shaw{.dim = 4, .left = 2, .right = 2}, R"({"dim": 4, "left": 2, "right": 2})");
  const Numbers scores(DType::f32, {3, 5, 5}), table(DType::f32, {12, 3}), q(DType::f32, {5, 3, 4});
  expect_on_stream({&scores}, plan,
                   [](Plan p, Tensors t, void* s) { return posenc_fill_bias(p, t, nullptr, s); });
  expect_on_stream({&scores}, plan,
                   [](Plan p, Tensors t, void* s) { return posenc_add_bias(p, t, t, nullptr, s); });
  expect_on_stream({&scores, &table}, plan, [](Plan p, Tensors t, void* s) {
    return posenc_backward_bias(p, t, t + 1, 1, nullptr, s);
  });
  expect_on_stream({&q, &scores}, content, [](Plan p, Tensors t, void* s) {
    return posenc_add_content(p, t, nullptr, nullptr, t + 1, t + 1, nullptr, s);
  });
}

}  // namespace
}  // namespace posenc::c_test
