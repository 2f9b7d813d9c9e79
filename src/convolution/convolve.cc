// convolve.cc: what the verbs of convolutions are given.
#include "base/check.h"
#include "base/sums.h"
#include "convolution/plan.h"

namespace posenc {
namespace {

struct Extent {
  int64_t height, width;
};

// The sides of what the tokens after the prefix are: a line, or a grid.
Extent check_input(const char* verb, const Convolution& s, const Tensor& x,
                   const ConvolveOptions& options) {
  check_rows(verb, "x", x, s.dim);
  check_host_memory(verb, "x", x);
  const int64_t tokens = x.size(-2) - s.prefix;
  if (tokens < 0) fail(verb, "expected at least ", s.prefix, " tokens, got ", x.size(-2));
  if (s.coordinates == 1) {
    if (options.height != 0 || options.width != 0)
      fail(verb, "expected no height and width of a convolution over time, got ", options.height,
           " and ", options.width);
    return {1, tokens};
  }
  const auto [height, width, add] = options;
  if (height < 0 || width < 0 || (width > 0 && height > tokens / width) || height * width != tokens)
    fail(verb, "expected height x width of ", tokens, " patches, got ", height, " x ", width);
  if (tokens == 0) return {0, 0};
  return {height, width};
}

std::vector<std::vector<int64_t>> shapes_of(const Convolution& scheme) {
  std::vector<std::vector<int64_t>> out;
  for (const Weight& weight : scheme.weights()) out.push_back(weight.shape);
  return out;
}

}  // namespace

void convolve(const ConvolutionPlan& plan, const Tensor& x, const Tensor& out,
              const ConvolveOptions& options) {
  const auto& parts = plan.parts();
  const auto [height, width] = check_input("convolve", parts.scheme, x, options);
  check_same("convolve", "out", out, x);
  check_overlap("convolve", x, out);
  check_output("convolve", out);
  cpu::run(ConvolveOrder{parts, x, out, height, width, options.add_input});
}

void convolve_backward(const ConvolutionPlan& plan, const Tensor& x, const Tensor& dout,
                       const Tensor& dx, std::span<const Tensor> dweights,
                       const ConvolveOptions& options) {
  const char* verb = "convolve_backward";
  const auto& parts = plan.parts();
  const auto [height, width] = check_input(verb, parts.scheme, x, options);
  check_same(verb, "dout", dout, x);
  if (dx.rank > 0) {
    check_same(verb, "dx", dx, x);
    check_overlap(verb, dout, dx);
    check_apart(verb, "dx", dx, "x", x);
    check_output(verb, dx);
  }
  if (!dweights.empty()) {
    check_gradients(verb, shapes_of(parts.scheme), dweights, x.dtype);
    for (const Tensor& dweight : dweights) check_host_memory(verb, "a gradient", dweight);
    check_gradients_apart(verb, dweights, {x, dout, dx});
  }
  cpu::run(ConvolveGradientOrder{parts, x, dout, dx, dweights, height, width, options.add_input});
}

}  // namespace posenc
