// convolve.cc: the convolutional encoding of wav2vec 2.0, forward and backward.
#include <cstdio>
#include <vector>

#include "posenc/convolution.h"

int main() {
  posenc::Convolution pe{.dim = 8, .kernel = 4, .groups = 2};

  std::vector<std::vector<float>> memory;  // weight_g, weight_v, bias: from a checkpoint
  std::vector<posenc::Tensor> weights;
  for (const posenc::Weight& w : pe.weights()) {
    const posenc::Tensor shape = posenc::tensor(nullptr, posenc::DType::f32, w.shape);
    memory.emplace_back(static_cast<size_t>(shape.elements()), 0.5F);
    weights.push_back(posenc::tensor(memory.back().data(), w.shape));
  }
  const auto plan = posenc::prepare(pe, {.weights = weights});

  std::vector<float> frames(10 * 8, 1.0F), out(10 * 8);
  const posenc::Tensor x = posenc::tensor(frames.data(), {10, 8});
  posenc::convolve(plan, x, posenc::tensor(out.data(), {10, 8}));
  std::printf("at the ends %.4f and %.4f, between them %.4f\n", out[0], out[72], out[40]);

  std::vector<float> dout(10 * 8, 1.0F);  // the gradient of x, in place
  const posenc::Tensor dx = posenc::tensor(dout.data(), {10, 8});
  posenc::convolve_backward(plan, x, dx, dx, {});
}
