// mlp.cc: forward and backward of a small network.
#include "relative/mlp.h"

#include <cmath>

namespace posenc {
namespace {

double dot(const double* a, const std::vector<double>& b) {
  double sum = 0;
  for (size_t i = 0; i < b.size(); ++i) sum += a[i] * b[i];
  return sum;
}

// dw and dx of out = w * x + b for one row of w.
void add_row(double g, const std::vector<double>& x, const double* row, double* dw, double* dx) {
  for (size_t i = 0; i < x.size(); ++i) dw[i] += g * x[i], dx[i] += g * row[i];
}

}  // namespace

Mlp::Mlp(const WeightValues& weights, size_t first, int64_t inputs, Activation activation)
    : first_(first), activation_(activation) {
  for (size_t i = first; i < weights.size(); i += 2) {
    const bool has_bias = i + 1 < weights.size();
    layers_.push_back({inputs, weights[i], has_bias ? weights[i + 1] : std::vector<double>{}});
    inputs = std::ssize(weights[i]) / inputs;
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

void Mlp::run(const double* x, Rows& sums, Rows& inputs) const {
  inputs.emplace_back(x, x + layers_[0].in);
  for (size_t l = 0; l + 1 < layers_.size(); ++l) {
    sums.push_back(layers_[l].bias);
    inputs.emplace_back(sums[l].size());
    for (size_t o = 0; o < sums[l].size(); ++o) {
      sums[l][o] += dot(&layers_[l].weight[o * inputs[l].size()], inputs[l]);
      inputs[l + 1][o] = activate(sums[l][o]);
    }
  }
}

void Mlp::forward(HeadRange heads, const double* x, double* out) const {
  Rows sums, inputs;
  run(x, sums, inputs);
  const Layer& last = layers_.back();
  for (int64_t i = 0; i < heads.count; ++i) {
    const int64_t head = heads.first + i;
    const double bias = last.bias.empty() ? 0 : last.bias[static_cast<size_t>(head)];
    out[i] = bias + dot(last.weight.data() + head * last.in, inputs.back());
  }
}

void Mlp::backward(HeadRange heads, const double* x, const double* g, WeightValues& dw,
                   double* dx) const {
  Rows sums, inputs;
  run(x, sums, inputs);
  std::vector<double> dout(g, g + heads.count);  // of the layer at hand, rows from `row` on
  int64_t row = heads.first;
  for (size_t l = layers_.size(); l-- > 0; row = 0) {
    const Layer& layer = layers_[l];
    std::vector<double> din(inputs[l].size());
    for (size_t o = 0; o < dout.size(); ++o) {
      const int64_t r = row + static_cast<int64_t>(o), at = r * layer.in;
      add_row(dout[o], inputs[l], layer.weight.data() + at, dw[first_ + 2 * l].data() + at,
              din.data());
      if (!layer.bias.empty()) dw[first_ + 2 * l + 1][static_cast<size_t>(r)] += dout[o];
    }
    for (size_t i = 0; l > 0 && i < din.size(); ++i) din[i] *= slope(sums[l - 1][i]);
    dout = std::move(din);
  }
  for (size_t i = 0; i < dout.size(); ++i) dx[i] += dout[i];
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
