// plan.h: what a rotary plan holds.
#pragma once

#include "absolute/plan.h"
#include "orders/orders.h"
#include "posenc/rotary/rope.h"
#include "posenc/rotary/verbs.h"

namespace posenc {

// Which features of a head are rotated, which heads are, and the factors in addition to the rows.
struct RotarySettings {
  RotarySpan span;
  Magnitudes magnitudes{};
  int64_t row_heads = 1;                  // heads with rows of their own
  int64_t first_head = 0;                 // negative: from the end
  std::optional<int64_t> rotary_heads{};  // all from there on unless given
  int64_t offset = 0;                     // of positions
};

// The rows that rotate keys of another plan to those of this one; see move().
struct Difference {
  int64_t from;  // the number of the other plan
  RowSource rows;
};

int64_t next_plan_number();

struct RotaryPlan::Parts {
  Rope scheme;
  std::vector<PairAxis> pairs;
  std::vector<Frequency> frequencies;          // of the pairs, unless they are learned
  std::vector<std::vector<Frequency>> angles;  // [heads * pairs][axes]
  double softmax_factor = 1;
  AbsolutePlan table;
  std::optional<AbsolutePlan> queries;  // their rows, where keys have phases
  RotarySettings settings;
  int64_t number = next_plan_number();  // that no other plan has
  Kept<Difference> difference{};        // from the plan that keys came from last
};

// One frequency for each axis of each pair of each head.
std::vector<std::vector<Frequency>> angles_of(const Rope& rope, const std::vector<PairAxis>& pairs,
                                              const std::vector<Frequency>& frequencies,
                                              std::span<const Tensor> weights);
// The rows of keys, and of queries unless keys have phases: those of queries are the others.
RowSource rows_of(const Rope& scheme, const std::vector<Frequency>& frequencies,
                  const std::vector<std::vector<Frequency>>& angles, double magnitude,
                  std::span<const Tensor> weights);
std::optional<AbsolutePlan> queries_of(const Rope& scheme,
                                       const std::vector<std::vector<Frequency>>& angles,
                                       double magnitude, int64_t end, const PlanOptions& options);

// Cosines and sines of the angles, [heads * pairs][axes], as a source of rows; phases, in radians,
// are for each of these, or none.
RowSource cos_sin_source(const std::vector<std::vector<Frequency>>& angles, int64_t pairs,
                         int64_t axes, double magnitude, const Rope& rope,
                         std::span<const double> phases = {});

// Rows that mix those of the frequencies that remain, at positions 0 to
// max_position_embeddings - 1; see Fourier.
RowSource mixed_source(const Rope& rope, const std::vector<Frequency>& frequencies,
                       const Tensor& coefficients);
// dcoefficients += what dtable, the gradient of those rows, f64, says about them.
void add_coefficient_gradient(const Rope& rope, const std::vector<Frequency>& frequencies,
                              std::span<const double> dtable, const Tensor& dcoefficients);

}  // namespace posenc
