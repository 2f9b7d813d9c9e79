// proximal.cc: the logarithm of the distance, as KERPLE has it before anything is learned.
#include "posenc/relative/proximal.h"

#include "relative/formula.h"

namespace posenc {

Fields Proximal::fields() { return {{"heads", &Proximal::heads, "heads of the whole model"}}; }

std::vector<Preset<Proximal>> Proximal::presets() {
  return {{"t2t-proximal", "tensor2tensor's proximity_bias", {}}};
}

BiasFormula Proximal::formula(const WeightValues&) const {
  const forms::Kernel kernel{-1, 0, -1, true};
  return {Reads::distance, false, kernel, std::vector<double>(static_cast<size_t>(heads), 1.0)};
}

}  // namespace posenc
