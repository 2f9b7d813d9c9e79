// kerple_weight.cc: options and checks of a kernel that scores are multiplied by.
#include "posenc/content/kerple_weight.h"

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

}  // namespace posenc
