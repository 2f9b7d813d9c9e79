// dynamic.cc: a network of the distance.
#include "posenc/relative/dynamic.h"

#include <cmath>
#include <memory>

#include "relative/mlp.h"

namespace posenc {

Fields DynamicBias::fields() {
  using S = DynamicBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"hidden", &S::hidden, "width of the hidden layers"},
          {"depth", &S::depth, "hidden layers"},
          {"log_distance", &S::log_distance, "let the network read a logarithm"}};
}

std::vector<Preset<DynamicBias>> DynamicBias::presets() {
  return {{"x-transformers", "a quarter of 512 features wide", {}}};
}

void DynamicBias::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  if (depth < 1 || depth > 64) fail(name, "expected depth from 1 to 64, got ", depth);
}

std::vector<Weight> DynamicBias::weights() const { return mlp_weights(1, hidden, depth, heads); }

BiasFormula DynamicBias::formula(const WeightValues& weights) const {
  const auto mlp = std::make_shared<const Mlp>(weights, 0, 1, Mlp::Activation::silu);
  const auto input = [log = log_distance](double query, double key) {
    const double r = query - key;
    return log ? std::copysign(std::log1p(std::abs(r)), r) : r;
  };
  BiasFormula out{};
  out.bias = [mlp, input](HeadRange heads, double query, double key, double* to) {
    const double x = input(query, key);
    mlp->forward(heads, &x, to);
  };
  out.backward = [mlp, input](HeadRange heads, double query, double key, const double* g,
                              Gradients dw) {
    const double x = input(query, key);
    double unused = 0;
    mlp->backward(heads, &x, g, dw, &unused);
  };
  return out;
}

}  // namespace posenc
