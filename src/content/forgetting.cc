// forgetting.cc: options and checks of forget gates.
#include "posenc/content/forgetting.h"

#include "content/formula.h"

namespace posenc {

Fields Forgetting::fields() {
  using S = Forgetting;
  return {{"side", &S::side, "keys that are forgotten: before the query or after it"},
          {"gates", &S::gates, "what the gates are given as: their logarithm or logits"},
          {"gate_scale", &S::gate_scale, "on the logarithm of every gate"}};
}

std::vector<Preset<Forgetting>> Forgetting::presets() {
  return {{"fox", "the Forgetting Transformer", {}},
          {"x-transformers-reversed",
           "the second gates of x-transformers without a causal mask",
           {.side = ForgetSide::after}}};
}

void Forgetting::check() const { check_finite(name, "gate_scale", gate_scale); }

TermFormula Forgetting::formula(const WeightLists&) const {
  return {KeyGates{side == ForgetSide::before, gates == ForgetGates::logits, gate_scale}};
}

}  // namespace posenc
