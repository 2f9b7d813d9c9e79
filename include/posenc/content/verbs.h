// verbs.h: what the plan of a content scheme does; knows none of the schemes.
#pragma once

#include "posenc/content/reads.h"
#include "posenc/relative/verbs.h"

namespace POSENC_PUBLIC posenc {

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

// out = scores with the term; out may be scores. scores: q . k, not yet scaled; the scale of the
// options is applied as it says.
void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options = {}, Stream stream = {});
// In place.
inline void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
                const ScoreOptions& options = {}, Stream stream = {}) {
  add(plan, in, scores, scores, options, stream);
}

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
