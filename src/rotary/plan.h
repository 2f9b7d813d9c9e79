// plan.h: what a rotary plan holds.
#pragma once

#include "absolute/source.h"
#include "posenc/rotary.h"

namespace posenc {

struct RotaryPlan::Parts {
  Rope scheme;
  std::vector<PairAxis> pairs;
  std::vector<Frequency> frequencies;          // of the pairs, unless they are learned
  std::vector<std::vector<Frequency>> angles;  // [heads * pairs][axes]
  double cos_sin_factor = 1, softmax_factor = 1;
  AbsolutePlan table;

  int64_t row() const { return 2 * scheme.pairs(); }  // columns of one head's row
  int64_t heads_with_rows = 1;                        // heads with frequencies of their own
};

// Cosines and sines of the angles, [heads * pairs][axes], as a source of rows.
AbsolutePlan::Source turning_source(const std::vector<std::vector<Frequency>>& angles,
                                    int64_t pairs, int64_t axes, double magnitude,
                                    const Rope& rope);

}  // namespace posenc
