// plan.h: what the plan of a bias holds.
#pragma once

#include "posenc/relative.h"

namespace posenc {

struct BiasPlan::Parts {
  Bias scheme;
  int64_t heads;
  BiasFormula formula;
  std::vector<std::vector<int64_t>> shapes;  // of the weights
};

}  // namespace posenc
