// verbs.h: functions on plans of content schemes; independent of particular schemes.
#pragma once

#include "posenc/content/reads.h"
#include "posenc/relative/verbs.h"

namespace POSENC_PUBLIC posenc {

// The inputs of a scheme. Rank 0 means not given; inputs that a scheme does not read are ignored.
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

// out = scores plus the term; out may be scores. scores: unscaled q . k; the scale in the options
// is applied here.
void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options = {}, Stream stream = {});
// In place.
inline void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
                const ScoreOptions& options = {}, Stream stream = {}) {
  add(plan, in, scores, scores, options, stream);
}

// Gradients are added to these; rank 0: not computed. f32, or f64 for f64.
struct ContentGradients {
  Tensor dq{}, dk{}, dgates{}, dscores{};
};

// Adds the gradients of all inputs of add(). scores: the scores given to add() (CoPE reads them);
// dout: the gradient of its result. dweights: one tensor for each weight, or none. Sums run in a
// fixed order.
void backward(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
              const Tensor& dout, const ContentGradients& gradients,
              std::span<const Tensor> dweights, const ScoreOptions& options = {},
              Stream stream = {});

// Shaw's encoding of values: out[i] += sum over keys j of P[i, j] times the table's row for i and
// j. plan: a Shaw plan with the table for values; P: attention after the softmax, [..., heads,
// queries, keys]; out: [..., queries, heads, dim]. Only positions and first_head of the options
// are read.
void add_to_outputs(const ContentPlan& plan, const Tensor& probabilities, const Tensor& out,
                    const ScoreOptions& options = {}, Stream stream = {});

// Adds the gradients of both; dprobabilities of rank 0 is not computed.
void outputs_backward(const ContentPlan& plan, const Tensor& probabilities, const Tensor& dout,
                      const Tensor& dprobabilities, std::span<const Tensor> dweights,
                      const ScoreOptions& options = {}, Stream stream = {});

}  // namespace posenc
