// golden_test.cc: wav2vec 2.0's and data2vec's modules, recorded by tests/golden/convolution.py.
#include <gtest/gtest.h>

#include <map>

#include "posenc/convolution.h"
#include "tests/support/paths.h"
#include "tests/support/weights.h"

namespace posenc::golden_test {
namespace {

struct Recorded {
  std::string name;
  Convolution scheme;
  ConvolveOptions options{};
};

std::vector<Recorded> recorded() {
  Convolution peg{.dim = 6, .coordinates = 2, .kernel = 3, .groups = 6, .weight_norm = false};
  peg.activation = ConvolutionActivation::none, peg.prefix = 1;
  Convolution stack{.dim = 12, .kernel = 5, .groups = 4, .layers = 3, .weight_norm = false};
  stack.layer_norm = true;
  return {{"wav2vec2 even", {.dim = 12, .kernel = 6, .groups = 3}},
          {"wav2vec2 odd", {.dim = 10, .kernel = 5, .groups = 1}},
          {"data2vec", stack},
          {"peg", peg, {.height = 4, .width = 5}}};
}

// Both sides are f64; sums of some 60 products, and three layers that make numbers larger.
void expect_near(const Tensor& ours, const Tensor& theirs, const std::string& what) {
  ASSERT_EQ(ours.elements(), theirs.elements()) << what;
  for (int64_t n = 0; n < ours.elements(); ++n)
    ASSERT_NEAR(get(ours, n), get(theirs, n), 1e-11 * (1 + std::abs(get(theirs, n)))) << what;
}

TEST(ConvolutionGolden, ForwardAndBackward) {
  std::map<std::string, Array> arrays;
  for (auto& [name, array] : read_arrays(golden_path("convolution.safetensors")))
    arrays[name] = std::move(array);
  for (const Recorded& r : recorded()) {
    const auto array = [&](const std::string& what) -> const Array& {
      return arrays.at(r.name + " " + what);
    };
    const Weights sums = zero_weights(r.scheme.weights(), DType::f64);
    std::vector<Tensor> weights;
    for (size_t i = 0; i < sums.arrays.size(); ++i)
      weights.push_back(array("weight " + std::to_string(i)).view());
    const auto plan = prepare(r.scheme, {.weights = weights});
    const Array out = make_array(DType::f64, array("x").shape), dx = out;
    convolve(plan, array("x").view(), out.view(), r.options);
    expect_near(out.view(), array("y").view(), r.name);
    convolve_backward(plan, array("x").view(), array("dout").view(), dx.view(), sums.views(),
                      r.options);
    expect_near(dx.view(), array("dx").view(), r.name + " dx");
    for (size_t i = 0; i < weights.size(); ++i)
      expect_near(sums.arrays[i].view(), array("dweight " + std::to_string(i)).view(),
                  r.name + " dweight " + std::to_string(i));
  }
}

}  // namespace
}  // namespace posenc::golden_test
