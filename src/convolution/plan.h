// plan.h: what a plan of a convolution holds, and its calls as orders.
#pragma once

#include "posenc/convolution.h"

namespace posenc {

// Weights [dim, inputs, taps] in f64. Each tap is g times `unit`; without weight norm g is 1 and
// unit the weight itself.
struct ConvolutionLayer {
  std::vector<double> unit, bias;
  std::vector<double> g, norm;  // [taps]; norm: |v|
};

struct ConvolutionPlan::Parts {
  Convolution scheme;
  std::vector<ConvolutionLayer> layers;
};

// out = x + what the layers make of it; x: [..., prefix + height x width, dim].
struct ConvolveOrder {
  const ConvolutionPlan::Parts& plan;
  Tensor x, out;
  int64_t height, width;
  bool add_input;
};

// dx = the gradient of x, unless of rank 0; dweights += theirs, unless there are none.
struct ConvolveGradientOrder {
  const ConvolutionPlan::Parts& plan;
  Tensor x, dout, dx;
  std::span<const Tensor> dweights;
  int64_t height, width;
  bool add_input;
};

namespace cpu {
void run(const ConvolveOrder& order);
void run(const ConvolveGradientOrder& order);
}  // namespace cpu

}  // namespace posenc
