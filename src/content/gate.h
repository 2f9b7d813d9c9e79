// gate.h: WavLM's gate and its derivatives, on the CPU and in kernels; the rows it lets through.
#pragma once

#include <cmath>
#include <vector>

#include "base/both.h"
#include "posenc/content/gated_t5.h"

namespace posenc {

inline constexpr int64_t gate_rows = 4;  // of W that are summed to one number

struct GateValue {
  double value;
  double by_a, by_b, by_scale;  // derivatives, by the sums before the sigmoids and the scale

  POSENC_BOTH GateValue(double sum_a, double sum_b, double scale) {
    const double a = 1 / (1 + std::exp(-sum_a)), b = 1 / (1 + std::exp(-sum_b));
    value = a * (b * scale - 1) + 2;
    by_a = a * (1 - a) * (b * scale - 1), by_b = a * scale * b * (1 - b), by_scale = a * b;
  }
};

// The row of each distance key - query from -max_distance to max_distance.
std::vector<int32_t> bucket_rows(const GatedT5& s);

}  // namespace posenc
