// mlp.h: a small network whose last layer has a row for each head.
#pragma once

#include "relative/formula.h"

namespace posenc {

class Mlp {
 public:
  enum class Activation : uint8_t { relu, silu };

  // Layers are weight [out, in] and bias [out], one after the other from weights[first] on; the
  // last may lack its bias.
  Mlp(const WeightValues& weights, size_t first, int64_t inputs, Activation activation);

  void forward(HeadRange heads, const double* x, double* out) const;
  // Adds the gradient of the weights to dw and that of x to dx.
  void backward(HeadRange heads, const double* x, const double* g, Gradients dw, double* dx) const;

 private:
  struct Layer {
    int64_t in, out;
    int64_t at;  // of its outputs, among those of all hidden layers
    std::vector<double> weight, bias;
  };

  double activate(double z) const;
  double slope(double z) const;
  // The sums of all hidden layers before their activation, and after it.
  void run(const double* x, double* sums, double* outputs) const;

  std::vector<Layer> layers_;
  int64_t hidden_ = 0;  // outputs of all hidden layers
  size_t first_;
  Activation activation_;
};

// The weights of such a network with one hidden width: weight_0, bias_0, weight_1, ...
std::vector<Weight> mlp_weights(int64_t inputs, int64_t hidden, int64_t depth, int64_t heads,
                                bool last_bias = true);

}  // namespace posenc
