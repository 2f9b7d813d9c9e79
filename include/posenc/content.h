// content.h: encodings that act on scores and depend on queries or keys.
//
//   posenc::Shaw shaw{.dim = 64, .left = 16, .right = 16};
//   auto plan = posenc::prepare(shaw, {.weights = {{table}}});
//   posenc::add(plan, {q, k}, scores, {.scale = 0.125, .scale_on = posenc::ScaleOn::sum});
//
// q is [..., queries, heads, dim], k [..., keys, heads, dim], scores [..., heads, queries, keys],
// all of one type, with any strides and the same batch axes. The term is computed for a few
// queries at a time: memory grows with the number of keys, not with queries x keys. Sums are done
// in f64 for f64 and in f32 otherwise and rounded once. Nothing is written when an Error is thrown.
#pragma once

#include "posenc/content/cope.h"
#include "posenc/content/deberta.h"
#include "posenc/content/decomposed.h"
#include "posenc/content/forgetting.h"
#include "posenc/content/forgetting_rows.h"
#include "posenc/content/gated_t5.h"
#include "posenc/content/kerple_weight.h"
#include "posenc/content/music_transformer.h"
#include "posenc/content/segments.h"
#include "posenc/content/shaw.h"
#include "posenc/content/transformer_xl.h"
#include "posenc/content/verbs.h"

namespace POSENC_PUBLIC posenc {

// The closed list of schemes: add the name of a new one here.
using Content = std::variant<Shaw, MusicTransformer, TransformerXl, Segments, Deberta, Cope,
                             Forgetting, Decomposed, GatedT5, ForgettingRows, KerpleWeight>;

// What a member of the list must provide.
template <class S>
concept ContentScheme = Aggregate<S> && requires(const S s) {
  { s.heads } -> std::convertible_to<int64_t>;
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.weights() } -> std::same_as<std::vector<Weight>>;
  { s.reads() } -> std::same_as<ContentReads>;
  { &S::formula } -> std::same_as<TermFormula (S::*)(const WeightLists&) const>;
  s.check();
};

ContentPlan prepare(const Content& scheme, const PlanOptions& options = {});
template <ContentScheme S>
ContentPlan prepare(const S& scheme, const PlanOptions& options = {}) {
  return prepare(Content(scheme), options);
}

// Functions that take a plan are in content/verbs.h. This one prepares each time, in place.
void add(const Content& scheme, const ContentInputs& in, const Tensor& scores,
         const ScoreOptions& options = {}, const PlanOptions& plan = {}, Stream stream = {});

}  // namespace posenc
