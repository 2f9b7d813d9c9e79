// content.h: content schemes, and calls of them on a device and on the CPU.
#pragma once

#include "tests/content/gradients.h"
#include "tests/cuda/device.h"

namespace posenc {

inline std::vector<Content> all_schemes() {
  auto out = small_schemes();
  out.push_back(TransformerXl{.dim = 5, .heads = 3, .sinusoids = {.dim = 6}, .legacy = true});
  out.push_back(Shaw{.dim = 4, .left = 2, .right = 3, .order = RowOrder::query_minus_key});
  out.push_back(Deberta{.dim = 4, .heads = 3, .buckets = 0, .max_distance = 5, .c2p = false});
  out.push_back(Cope{.dim = 5, .positions = 4, .scaled_gates = false});
  out.push_back(Forgetting{.gates = ForgetGates::logits});
  out.push_back(KerpleWeight{.heads = 4});
  return out;
}
inline bool is_legacy(const Content& scheme) {
  const auto* xl = std::get_if<TransformerXl>(&scheme);
  return xl && xl->legacy;
}
inline ContentReads reads_of(const Content& scheme) {
  return std::visit([](const auto& s) { return s.reads(); }, scheme);
}

// A copy of everything on the device.
struct StandOnDevice {
  WeightsOnDevice weights;
  ContentPlan plan;
  OnDevice q, k, gates, scores, out;

  explicit StandOnDevice(const Stand& t)
      : weights(t.weights),
        plan(prepare(t.scheme, {.weights = weights.views()})),
        q(t.q.view()),
        k(t.k.view()),
        gates(t.gates.view()),
        scores(t.scores.view()),
        out(t.out.view()) {}
  ContentInputs inputs() const { return {q.view(), k.view(), gates.view()}; }
};

// One call: sizes, and options of the host.
struct Case {
  Sizes sizes;
  ScoreOptions options;
};

// Ids of every kind, shared by the batch rows or not.
struct Ids {
  Random random{5};
  TestPlaces queries{DType::i32, {2, 9}, random, -12, 12, Placement::spaced};
  TestPlaces shared{DType::i64, {9}, random, -12, 12};
  TestPlaces some{DType::i32, {2, 11}, random, -9, 12, Placement::reversed};
  TestPlaces rising = rising_keys(2, 11);
  TestPlaces real{DType::f64, {2, 9}, random, -4, 9};

  std::vector<Case> cases(const Content& scheme) const {
    const ContentReads reads = reads_of(scheme);
    if (is_legacy(scheme))
      return {{{2, 3, 9, 11}, {.queries = range(2), .scale = 0.5}},
              {{2, 2, 9, 9}, {.first_head = 1, .causal = true, .scale = 0.5}}};
    const TestPlaces& keys = sums_keys(scheme) ? rising : some;
    std::vector<Case> out{
        {{2, 3, 9, 11}, {.queries = range(5), .first_head = 0, .causal = true, .scale = 0.5}},
        {{1, 2, 2, 7}, {.queries = range(-2), .first_head = 1, .scale = 0.5}},
        {{2, 3, 9, 11},
         {.queries = queries.at(),
          .keys = keys.at(),
          .first_head = 0,
          .causal = true,
          .scale = 0.25,
          .scale_on = ScaleOn::sum}},
        {{2, 3, 9, 11},
         {.queries = shared.at(), .keys = range(-6), .first_head = 0, .scale = 0.5}}};
    if (!reads.distance)
      out.push_back({{2, 3, 9, 11},
                     {.queries = real.at(), .keys = rising.at(), .first_head = 0, .causal = true}});
    return out;
  }
};

inline void expect_near(const Tensor& got, const Tensor& truth, double bound) {
  for (int64_t n = 0; n < got.elements(); ++n) {
    const double x = get(got, n), y = get(truth, n);
    if (std::isinf(y)) {
      ASSERT_EQ(x, y) << n;
    } else {
      ASSERT_NEAR(x, y, bound) << n << " of " << describe(got);
    }
  }
}

}  // namespace posenc
