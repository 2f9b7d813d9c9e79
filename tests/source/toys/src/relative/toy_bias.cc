// toy_bias.cc: scores fall with the distance, alike in every head.
#include "posenc/relative/toy_bias.h"

#include "relative/formula.h"

namespace posenc {

Fields ToyBias::fields() { return {{"heads", &ToyBias::heads, "heads of the whole model"}}; }

std::vector<Preset<ToyBias>> ToyBias::presets() { return {}; }

BiasFormula ToyBias::formula(const WeightValues&) const {
  return {Reads::distance, false, forms::Kernel{},
          std::vector<double>(static_cast<size_t>(heads), 1.0)};
}

}  // namespace posenc
