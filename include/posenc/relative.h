// relative.h: encodings that act on scores: a bias for each head, query and key.
//
//   posenc::Alibi alibi{.heads = 32};
//   auto plan = posenc::prepare(alibi);
//   posenc::add(plan, scores, {.queries = posenc::range(past)});   // one query, many keys
//
// scores are [..., heads, queries, keys] with any strides. Biases that depend on the distance need
// only queries + keys - 1 numbers per head; only fill() makes an L x L table.
// Sums are done in f64 for f64 and in f32 otherwise and rounded once. Nothing is written when an
// Error is thrown.
#pragma once

#include "posenc/relative/alibi.h"
#include "posenc/relative/box_relation.h"
#include "posenc/relative/clipped.h"
#include "posenc/relative/continuous.h"
#include "posenc/relative/dynamic.h"
#include "posenc/relative/fire.h"
#include "posenc/relative/kerple.h"
#include "posenc/relative/layout.h"
#include "posenc/relative/proximal.h"
#include "posenc/relative/sandwich.h"
#include "posenc/relative/segment_buckets.h"
#include "posenc/relative/t5.h"
#include "posenc/relative/tupe.h"
#include "posenc/relative/verbs.h"
#include "posenc/relative/window.h"

namespace POSENC_PUBLIC posenc {

// The closed list of schemes: add the name of a new one here.
using Bias =
    std::variant<Alibi, T5Bias, Clipped, Kerple, Proximal, Sandwich, DynamicBias, Fire, WindowBias,
                 ContinuousBias, Tupe, LayoutBias, SegmentBuckets, BoxRelation>;

// What a member of the list must provide.
template <class S>
concept BiasScheme = Aggregate<S> && requires(const S s) {
  { s.heads } -> std::convertible_to<int64_t>;
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.weights() } -> std::same_as<std::vector<Weight>>;
  { &S::formula } -> std::same_as<BiasFormula (S::*)(const WeightValues&) const>;
  s.check();
};

// Profiles are cached after the first call that needs them, up to 64 MiB; keep: the part for
// positions 0 .. keep - 1 is made now, in f32.
BiasPlan prepare(const Bias& scheme, const PlanOptions& options = {});
template <BiasScheme S>
BiasPlan prepare(const S& scheme, const PlanOptions& options = {}) {
  return prepare(Bias(scheme), options);
}

// Functions that take a plan are in relative/verbs.h. These prepare each time; add is in place.
void fill(const Bias& scheme, const Tensor& out, const ScoreOptions& options = {},
          const PlanOptions& plan = {}, Stream stream = {});
void add(const Bias& scheme, const Tensor& scores, const ScoreOptions& options = {},
         const PlanOptions& plan = {}, Stream stream = {});

}  // namespace posenc
