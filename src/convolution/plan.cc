// plan.cc: weights of convolutions, read once.
#include "convolution/plan.h"

#include <cmath>

#include "base/check.h"

namespace posenc {
namespace {

// Splits a weight into the length and the direction of each tap, over all columns.
void split_taps(ConvolutionLayer& layer) {
  const size_t taps = layer.g.size();
  for (size_t n = 0; n < layer.unit.size(); ++n)
    layer.norm[n % taps] += layer.unit[n] * layer.unit[n];
  for (double& norm : layer.norm) {
    norm = std::sqrt(norm);
    if (!(norm > 0))
      fail(Convolution::name, "expected weight_v with a direction at every tap, got one of length ",
           norm);
  }
  for (size_t n = 0; n < layer.unit.size(); ++n) layer.unit[n] /= layer.norm[n % taps];
}

ConvolutionLayer read_layer(const Convolution& s, std::span<const Tensor> weights) {
  const auto taps = static_cast<size_t>(s.taps());
  ConvolutionLayer out;
  out.g = s.weight_norm ? values(weights[0]) : std::vector<double>(taps, 1.0);
  out.norm.resize(taps);
  out.unit = values(weights[s.weight_norm ? 1 : 0]);
  out.bias = values(weights.back());
  if (s.weight_norm) split_taps(out);
  return out;
}

}  // namespace

ConvolutionPlan prepare(const Convolution& scheme, const PlanOptions& options) {
  check_choices(scheme.name, scheme);
  scheme.check();
  check_weights(scheme.name, scheme.weights(), options.weights);
  const size_t each = options.weights.size() / static_cast<size_t>(scheme.layers);
  ConvolutionPlan::Parts parts{scheme, {}};
  for (size_t layer = 0; layer < static_cast<size_t>(scheme.layers); ++layer)
    parts.layers.push_back(read_layer(scheme, options.weights.subspan(layer * each, each)));
  return ConvolutionPlan(detail::Shared<ConvolutionPlan::Parts>::make(std::move(parts)));
}

}  // namespace posenc
