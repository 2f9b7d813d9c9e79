// cosines.h: a sum of cosines of the distance, over the number of the head.
#pragma once

#include <cmath>

#include "relative/forms/heads.h"

namespace posenc::forms {

// factor / (head + 1) times the sum of cos(f |r|) - 1 over all frequencies f, which the block
// holds. Nothing is learned.
struct Cosines {
  int64_t count = 0;
  double factor = 1;
  const double* block = nullptr;

  POSENC_BOTH double at(double query, double key, double*) const {
    const double distance = std::abs(key - query);
    double sum = 0;
    for (int64_t k = 0; k < count; ++k) sum += std::cos(distance * block[k]) - 1;
    return sum * factor;
  }
  POSENC_BOTH double bias(int64_t head, double all) const {
    return all / static_cast<double>(head + 1);
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange, double, const double*, const Add&) const {}
};

}  // namespace posenc::forms
