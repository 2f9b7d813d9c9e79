// content.h: encodings that act on scores and read queries or keys to do so.
//
//   posenc::Shaw shaw{.dim = 64, .left = 16, .right = 16};
//   auto plan = posenc::prepare(shaw, {.weights = {{table}}});
//   posenc::add(plan, {q, k}, scores, {.scale = 0.125, .scale_on = posenc::ScaleOn::sum});
//
// q is [..., queries, heads, dim], k [..., keys, heads, dim], scores [..., heads, queries, keys],
// each of the same type, with any strides and the same batch axes. The term is computed for a few
// queries at a time: memory grows with the number of keys, never with queries x keys. Sums are done
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
#include "posenc/relative.h"

namespace POSENC_PUBLIC posenc {

// The closed list: a new scheme is one more name here.
using Content = std::variant<Shaw, MusicTransformer, TransformerXl, Segments, Deberta, Cope,
                             Forgetting, Decomposed, GatedT5, ForgettingRows, KerpleWeight>;

// What a member of the list must offer.
template <class S>
concept ContentScheme = Aggregate<S> && requires(const S s) {
  { s.heads } -> std::convertible_to<int64_t>;
  { S::presets() } -> std::same_as<std::vector<Preset<S>>>;
  { s.weights() } -> std::same_as<std::vector<Weight>>;
  { s.reads() } -> std::same_as<ContentReads>;
  s.check();
};

// What a scheme may read; a tensor of rank 0 is not given, and what it does not read is ignored.
struct ContentInputs {
  Tensor q{}, k{};
  Tensor gates{};  // [..., keys, heads]: log forget gates, for data-dependent decay
};

class ContentPlan {
 public:
  int64_t heads() const;  // 0: any number
  ContentReads reads() const;

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  ContentPlan() = default;
  explicit ContentPlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

ContentPlan prepare(const Content& scheme, const PlanOptions& options = {});
template <ContentScheme S>
ContentPlan prepare(const S& scheme, const PlanOptions& options = {}) {
  return prepare(Content(scheme), options);
}

// out = scores with the term; out may be scores. scores: q . k, not yet scaled; the scale of the
// options is applied as it says.
void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options = {}, Stream stream = {});
// In place.
inline void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
                const ScoreOptions& options = {}, Stream stream = {}) {
  add(plan, in, scores, scores, options, stream);
}
// One-call form: prepares each time, in place.
void add(const Content& scheme, const ContentInputs& in, const Tensor& scores,
         const ScoreOptions& options = {}, const PlanOptions& plan = {}, Stream stream = {});

// Gradients to be added to; a tensor of rank 0 is not wanted. f32, or f64 for f64.
struct ContentGradients {
  Tensor dq{}, dk{}, dgates{}, dscores{};
};

// Adds the gradients of everything add() read. scores: what add() was given (CoPE reads it); dout:
// the gradient of its result. dweights: one tensor for each weight, or none. Sums run in a fixed
// order.
void backward(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
              const Tensor& dout, const ContentGradients& gradients,
              std::span<const Tensor> dweights, const ScoreOptions& options = {},
              Stream stream = {});

// Shaw's encoding of values: out[i] += sum over keys j of P[i, j] times the table's row for i and
// j. plan: of a Shaw with the table of values; P: attention after the softmax, [..., heads,
// queries, keys]; out: [..., queries, heads, dim]. Of the options only positions and first_head are
// read.
void add_to_outputs(const ContentPlan& plan, const Tensor& probabilities, const Tensor& out,
                    const ScoreOptions& options = {}, Stream stream = {});

// Adds the gradients of both; dprobabilities of rank 0 is not wanted.
void outputs_backward(const ContentPlan& plan, const Tensor& probabilities, const Tensor& dout,
                      const Tensor& dprobabilities, std::span<const Tensor> dweights,
                      const ScoreOptions& options = {}, Stream stream = {});

}  // namespace posenc
