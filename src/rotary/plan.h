// plan.h: what a rotary plan holds.
#pragma once

#include "orders.h"
#include "posenc/rotary.h"

namespace posenc {

// What of a head turns, which heads do, and by how much more than the rows say.
struct Turning {
  TurnSpan span;
  Magnitudes magnitudes{};
  int64_t row_heads = 1;                  // heads with rows of their own
  int64_t first_head = 0;                 // negative: from the end
  std::optional<int64_t> rotary_heads{};  // all from there on unless given
  int64_t offset = 0;                     // of positions
};

struct RotaryPlan::Parts {
  Rope scheme;
  std::vector<PairAxis> pairs;
  std::vector<Frequency> frequencies;          // of the pairs, unless they are learned
  std::vector<std::vector<Frequency>> angles;  // [heads * pairs][axes]
  double softmax_factor = 1;
  AbsolutePlan table;
  Turning turning;
};

// Cosines and sines of the angles, [heads * pairs][axes], as a source of rows.
RowSource turning_source(const std::vector<std::vector<Frequency>>& angles, int64_t pairs,
                         int64_t axes, double magnitude, const Rope& rope);

}  // namespace posenc
