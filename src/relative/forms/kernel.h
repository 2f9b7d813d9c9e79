// kernel.h: kernels of the distance with learned numbers for each head, and their derivatives.
#pragma once

#include <cmath>

#include "relative/forms/heads.h"

namespace posenc::forms {

// -factor ln(1 + a |r|^p), or -a |r|^p.
struct Kernel {
  int64_t factor = -1, a = 0, p = -1;  // where those of the heads lie in the block; -1: it is 1
  bool log = false, clamp = false;     // clamp: weights are read as at least 0.01, p as at most 2
  const double* block = nullptr;

  // Weight n, which is a head's p from there on, as it is read.
  POSENC_BOTH double taken(int64_t n, double value) const {
    if (!clamp) return value;
    if (p >= 0 && n >= p && value > 2) return 2;
    return value < 0.01 ? 0.01 : value;
  }

  POSENC_BOTH double read(int64_t first, int64_t head) const {
    return first < 0 ? 1 : block[first + head];
  }
  POSENC_BOTH double at(double query, double key, double*) const { return std::abs(key - query); }
  POSENC_BOTH double bias(int64_t head, double distance) const {
    const double x = read(a, head) * std::pow(distance, read(p, head));
    return log ? -read(factor, head) * std::log1p(x) : -x;
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, double distance, const double* g,
                            const Add& add) const {
    each_head(heads, g, [&](int64_t head, double gh) {
      const double r = std::pow(distance, read(p, head)), x = read(a, head) * r;
      const double by_x = log ? -read(factor, head) / (1 + x) : -1;
      if (factor >= 0) add(factor + head, -gh * std::log1p(x));
      add(a + head, gh * by_x * r);
      if (p >= 0 && distance > 0) add(p + head, gh * by_x * x * std::log(distance));
    });
  }
};

}  // namespace posenc::forms
