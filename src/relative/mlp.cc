// mlp.cc: forward and backward of a small network.
#include "relative/mlp.h"

#include <cmath>

#include "base/scratch.h"

namespace posenc {
namespace {

constexpr size_t few = 512;  // numbers that need no memory from elsewhere

double dot(const double* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

}  // namespace

Mlp::Mlp(const WeightValues& weights, size_t first, int64_t inputs, Activation activation)
    : first_(first), activation_(activation) {
  for (size_t i = first; i < weights.size(); i += 2) {
    const bool has_bias = i + 1 < weights.size();
    const int64_t out = std::ssize(weights[i]) / inputs;
    if (i > first) hidden_ += inputs;
    layers_.push_back(
        {inputs, out, hidden_, weights[i], has_bias ? weights[i + 1] : std::vector<double>{}});
    inputs = out;
  }
}

double Mlp::activate(double z) const {
  return activation_ == Activation::relu ? std::max(z, 0.0) : z / (1 + std::exp(-z));
}

double Mlp::slope(double z) const {
  if (activation_ == Activation::relu) return z > 0 ? 1 : 0;
  const double s = 1 / (1 + std::exp(-z));
  return s * (1 + z * (1 - s));
}

void Mlp::run(const double* x, double* sums, double* outputs) const {
  for (size_t l = 0; l + 1 < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    for (int64_t o = 0; o < layer.out; ++o) {
      const double z =
          layer.bias[static_cast<size_t>(o)] + dot(layer.weight.data() + o * layer.in, x, layer.in);
      sums[layer.at + o] = z, outputs[layer.at + o] = activate(z);
    }
    x = outputs + layer.at;
  }
}

void Mlp::forward(HeadRange heads, const double* x, double* out) const {
  Scratch<double, few> memory(2 * hidden_);
  double* outputs = memory.data() + hidden_;
  run(x, memory.data(), outputs);
  const Layer& last = layers_.back();
  const double* inputs = outputs + hidden_ - last.in;
  for (int64_t i = 0; i < heads.count; ++i) {
    const int64_t head = heads.first + i;
    const double bias = last.bias.empty() ? 0 : last.bias[static_cast<size_t>(head)];
    out[i] = bias + dot(last.weight.data() + head * last.in, inputs, last.in);
  }
}

// Layer by layer, from the last on, of which rows from `row` on count.
void Mlp::backward(HeadRange heads, const double* x, const double* g, Gradients dw,
                   double* dx) const {
  Scratch<double, few> memory(3 * hidden_);
  double *sums = memory.data(), *outputs = sums + hidden_, *douts = outputs + hidden_;
  run(x, sums, outputs);
  std::fill(douts, douts + hidden_, 0.0);
  int64_t row = heads.first, rows = heads.count;
  for (size_t l = layers_.size(); l-- > 0; row = 0) {
    const Layer& layer = layers_[l];
    const int64_t below = l > 0 ? layers_[l - 1].at : 0;
    const double* in = l > 0 ? outputs + below : x;
    double* din = l > 0 ? douts + below : dx;
    for (int64_t o = 0; o < rows; ++o) {
      const int64_t at = (row + o) * layer.in;
      double* dweight = dw[first_ + 2 * l].data() + at;
      for (int64_t i = 0; i < layer.in; ++i)
        dweight[i] += g[o] * in[i], din[i] += g[o] * layer.weight[static_cast<size_t>(at + i)];
      if (!layer.bias.empty()) dw[first_ + 2 * l + 1][static_cast<size_t>(row + o)] += g[o];
    }
    for (int64_t i = 0; l > 0 && i < layer.in; ++i) din[i] *= slope(sums[below + i]);
    g = din, rows = layer.in;
  }
}

std::vector<Weight> mlp_weights(int64_t inputs, int64_t hidden, int64_t depth, int64_t heads,
                                bool last_bias) {
  std::vector<Weight> out;
  for (int64_t l = 0; l <= depth; ++l) {
    const int64_t in = l == 0 ? inputs : hidden, rows = l == depth ? heads : hidden;
    const std::string n = std::to_string(l);
    out.push_back({"weight_" + n, {rows, in}, 0, 1 / std::sqrt(static_cast<double>(in))});
    if (l < depth || last_bias) out.push_back({"bias_" + n, {rows}, 0, 0});
  }
  return out;
}

}  // namespace posenc
