// cases.cu: the verbs and sizes that matter, as an 8-billion-parameter Llama has them.
#include "bench/cuda/cases.h"

namespace posenc::bench {

std::vector<CudaCase> cuda_cases() {
  std::vector<CudaCase> out = rotary_cases();
  for (const auto& more : {absolute_cases(), relative_cases()})
    out.insert(out.end(), more.begin(), more.end());
  return out;
}

}  // namespace posenc::bench
