// kerple_weight.cc: options and checks of a kernel that scores are multiplied by.
#include "posenc/content/kerple_weight.h"

#include "content/formula.h"

namespace posenc {

Fields KerpleWeight::fields() {
  using S = KerpleWeight;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"clamp", &S::clamp,
           "read weights as at least 0.01, and the power as at most 2; their "
           "gradient is that at the number read"}};
}

std::vector<Preset<KerpleWeight>> KerpleWeight::presets() {
  return {{"authors", "the authors' code (Chi et al. 2022)", {}}};
}

void KerpleWeight::check() const { check_size(name, "heads", heads); }

TermFormula KerpleWeight::formula(const WeightLists& weights) const {
  const ScoreDecay decay{clamp};
  for (size_t h = 0; h < static_cast<size_t>(heads); ++h) {
    const DecayKernel kernel = decay.kernel(weights[0][h], weights[1][h]);
    if (!(kernel.a >= 0)) fail(name, "expected a of at least 0, got ", kernel.a);
    if (!(kernel.p >= 0)) fail(name, "expected p of at least 0, got ", kernel.p);
  }
  return {decay};
}

}  // namespace posenc
