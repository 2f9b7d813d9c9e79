// log_gate.h: the logarithm of a forget gate, on the CPU and in kernels.
#pragma once

#include <cmath>

#include "base/both.h"

namespace posenc {

// ln sigmoid(x), and its derivative.
POSENC_BOTH inline double log_sigmoid(double x) {
  return x < 0 ? x - std::log1p(std::exp(x)) : -std::log1p(std::exp(-x));
}
POSENC_BOTH inline double log_sigmoid_slope(double x) { return 1 / (1 + std::exp(x)); }

}  // namespace posenc
