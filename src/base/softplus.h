// softplus.h: ln(1 + e^x) and its slope, on the CPU and in kernels.
#pragma once

#include <cmath>

#include "base/both.h"

namespace posenc {

// Without e^x, which overflows.
template <class C>
POSENC_BOTH C softplus(C x) {
  using std::abs, std::exp, std::log1p;
  return (x > 0 ? x : C(0)) + log1p(exp(-abs(x)));
}
template <class C>
POSENC_BOTH C softplus_slope(C x) {
  using std::exp;
  return 1 / (1 + exp(-x));
}

}  // namespace posenc
