// decay.h: the kernel of the distance that scores are multiplied by, on the CPU and in kernels.
#pragma once

#include <cmath>

#include "base/both.h"

namespace posenc {

// exp(-a r^p), and what it changes by with a and with p; r is not negative.
struct DecayKernel {
  double a, p;

  POSENC_BOTH DecayKernel(bool clamp, double any_a, double any_p) : a(any_a), p(any_p) {
    if (clamp && a < 0.01) a = 0.01;
    if (clamp && p < 0.01) p = 0.01;
    if (clamp && p > 2) p = 2;
  }
  // Never 0, so that a score of minus infinity stays so.
  POSENC_BOTH double at(double r) const {
    const double x = a * power(r);
    return std::exp(x < 700 ? -x : -700.0);
  }
  POSENC_BOTH double by_a(double r) const { return -power(r) * std::exp(-a * power(r)); }
  POSENC_BOTH double by_p(double r) const { return r > 0 ? a * by_a(r) * std::log(r) : 0; }

 private:
  POSENC_BOTH double power(double r) const {
    const double x = std::pow(r, p);
    return x < 1e300 ? x : 1e300;
  }
};

// Scores times that kernel; a and p of a head are the weights.
struct ScoreDecay {
  bool clamp = true;

  POSENC_BOTH DecayKernel kernel(double a, double p) const { return {clamp, a, p}; }
};

}  // namespace posenc
