// errors_test.cc: what convolutions refuse.
#include <gtest/gtest.h>

#include "posenc/convolution.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::errors_test {
namespace {

TEST(ConvolutionErrors, Schemes) {
  const auto said = [](Convolution s) { return message([&] { s.check(); }); };
  EXPECT_EQ(said({.groups = 5}), "[convolution] expected groups that divide dim 768, got 5");
  EXPECT_EQ(said({.coordinates = 3}),
            "[convolution] expected coordinates 1 (time) or 2 (a grid), got 3");
  EXPECT_EQ(said({.kernel = 0}), "[convolution] expected kernel from 1 to 4096, got 0");
  EXPECT_EQ(said({.layers = 0}), "[convolution] expected layers from 1 to 64, got 0");
  EXPECT_EQ(said({.prefix = -1}), "[convolution] expected prefix from 0 to 1048576, got -1");
  for (const auto& preset : Convolution::presets()) preset.value.check();
}

TEST(ConvolutionErrors, ByName) {
  EXPECT_EQ(make_convolution("data2vec-audio").layers, 5);
  EXPECT_EQ(make_convolution("convolution", {{"kernel", "95"}}).kernel, 95);
  EXPECT_EQ(make_convolution("cpvt", {{"prefix", "2"}}).prefix, 2);
  expect_message([] { make_convolution("wav2vec"); }, "did you mean 'wav2vec2'?");
  EXPECT_EQ(convolution_from_json("hubert", R"({"kernel": 95})").kernel, 95);
  EXPECT_EQ(convolution_from_json("convolution", R"({"preset": "cpvt"})").prefix, 1);
  EXPECT_EQ(convolution_from_json("cpvt", to_json(info(Convolution{}).options)).kernel, 128);
  expect_message([] { convolution_from_json("wav2vec", "{}"); }, "did you mean 'wav2vec2'?");
  expect_message([] { convolution_from_json("cpvt", R"({"kernal": 3})"); },
                 "did you mean 'kernel'?");
  EXPECT_EQ(info(Convolution{}).weights.size(), 3u);
}

TEST(ConvolutionErrors, Calls) {
  Convolution s{.dim = 2, .coordinates = 2, .kernel = 3, .groups = 2, .prefix = 1};
  Weights w = zero_weights(s.weights(), DType::f32);
  const auto made = [&] { return prepare(s, {.weights = w.views()}); };
  expect_message(made, "expected weight_v with a direction at every tap, got one of length 0");
  for (Array& a : w.arrays) randomize(a.view(), *std::make_unique<Random>(1), 1, 2);
  const auto plan = made();
  const Array x = make_array(DType::f32, {7, 2}), out = x;
  const auto convolved = [&](ConvolveOptions options) {
    return [&, options] { convolve(plan, x.view(), out.view(), options); };
  };
  expect_message(convolved({}), "[convolve] expected height x width of 6 patches, got 0 x 0");
  expect_message(convolved({.height = 3, .width = 3}), "got 3 x 3");
  expect_message(convolved({.height = -2, .width = -3}), "got -2 x -3");
  EXPECT_EQ(message(convolved({.height = 2, .width = 3})), "no error");
  expect_message([&] { prepare(s, {.weights = std::vector<Tensor>{}}); }, "[convolution] expected");
  const Array no_patches = make_array(DType::f32, {0, 2});
  expect_message([&] { convolve(plan, no_patches.view(), no_patches.view()); },
                 "[convolve] expected at least 1 tokens, got 0");
  const Array wrong = make_array(DType::f32, {7, 3});
  expect_message([&] { convolve(plan, wrong.view(), wrong.view()); }, "[convolve] expected x as");
  const Weights sums = zero_weights(s.weights(), DType::f64);
  const ConvolveOptions sides{.height = 2, .width = 3};
  expect_message(
      [&] { convolve_backward(plan, x.view(), x.view(), out.view(), sums.views(), sides); },
      "[convolve_backward] expected");
  expect_message([&] { convolve_backward(plan, x.view(), out.view(), x.view(), {}, sides); },
                 "[convolve_backward] expected dx");
}

// Whatever sides are told: nothing is walked over.
TEST(ConvolutionErrors, NoPatchesTakeNoTime) {
  const Convolution s{
      .dim = 2, .coordinates = 2, .kernel = 3, .groups = 2, .weight_norm = false, .prefix = 1};
  const Weights w = zero_weights(s.weights(), DType::f32);
  const auto plan = prepare(s, {.weights = w.views()});
  const Array x = make_array(DType::f32, {1, 2});
  convolve(plan, x.view(), x.view(), {.height = int64_t{1} << 62, .width = 0});
  convolve(plan, x.view(), x.view(), {.height = 0, .width = INT64_MAX});
  const Tensor none = tensor(static_cast<float*>(x.view().data), {int64_t{1} << 45, 1, 0, 1, 2});
  convolve(plan, none, none);
}

TEST(ConvolutionErrors, OverTimeHasNoSides) {
  const Convolution s{.dim = 1, .kernel = 1, .groups = 1};
  const Weights w = zero_weights(s.weights(), DType::f64);
  set(w.arrays[1].view(), 0, 1);
  const auto plan = prepare(s, {.weights = w.views()});
  const Array x = make_array(DType::f64, {4, 1});
  expect_message([&] { convolve(plan, x.view(), x.view(), {.height = 2, .width = 2}); },
                 "expected no height and width of a convolution over time, got 2 and 2");
}

}  // namespace
}  // namespace posenc::errors_test
