// dynamic.cc: a network of the distance.
#include "posenc/relative/dynamic.h"

#include "relative/formula.h"
#include "relative/network_weights.h"

namespace posenc {

Fields DynamicBias::fields() {
  using S = DynamicBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"hidden", &S::hidden, "width of the hidden layers"},
          {"depth", &S::depth, "hidden layers"},
          {"log_distance", &S::log_distance, "let the network read a logarithm"},
          {"layer_norm", &S::layer_norm, "a layer norm before every silu"}};
}

std::vector<Preset<DynamicBias>> DynamicBias::presets() {
  return {{"x-transformers", "x-transformers: a quarter of 512 features wide", {}}};
}

void DynamicBias::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  if (depth < 1 || depth > 64) fail(name, "expected depth from 1 to 64, got ", depth);
}

std::vector<Weight> DynamicBias::weights() const {
  return network_weights(1, hidden, depth, heads, true, layer_norm);
}

BiasFormula DynamicBias::formula(const WeightValues& weights) const {
  const forms::DistanceNetwork network{{1, hidden, depth, heads, layer_norm}, log_distance};
  return {Reads::distance, false, network, weights};
}

}  // namespace posenc
