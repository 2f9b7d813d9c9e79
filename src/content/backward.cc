// backward.cc: checks what the gradients of a content term are made from and added to.
#include "base/sums.h"
#include "content/call.h"

namespace posenc {
namespace {

constexpr const char* content_backward = "backward";

// The gradients that are wanted of what the scheme reads; others have rank 0.
ContentGradients check_targets(const ContentReads& reads, const ContentGradients& to,
                               const Tensor& scores) {
  ContentGradients out{.dscores = to.dscores};
  if (reads.q) out.dq = to.dq;
  if (reads.k) out.dk = to.dk;
  if (reads.gates) out.dgates = to.dgates;
  Tensor like = scores;
  like.dtype = compute_type(scores.dtype);
  const auto check = [&](const char* what, const Tensor& t, int axis, int64_t dim) {
    if (t.rank > 0)
      check_heads(content_backward, what, t, scores, scores.size(axis), dim, like.dtype);
  };
  check("dq", out.dq, -2, reads.dim);
  check("dk", out.dk, -1, reads.dim);
  check("dgates", out.dgates, -1, 0);
  if (to.dscores.rank > 0) check_same(content_backward, "dscores", to.dscores, like);
  return out;
}

// What is written lies apart from each other and from all that is read.
void check_apart_all(const ContentCall& call, const ContentGradients& to,
                     std::span<const Tensor> dweights, std::initializer_list<Tensor> read) {
  const Tensor* others[] = {&to.dq, &to.dk, &to.dgates, &to.dscores};
  const size_t count = dweights.size() + std::size(others);
  const auto written = [&](size_t i) -> const Tensor& {
    return i < dweights.size() ? dweights[i] : *others[i - dweights.size()];
  };
  for (size_t i = 0; i < count; ++i) {
    if (written(i).rank == 0) continue;
    check_inputs_apart(content_backward, "a gradient", written(i), call);
    for (const Tensor& t : read)
      check_apart(content_backward, "a gradient", written(i), "what is read", t);
    for (size_t j = 0; j < i; ++j)
      check_apart(content_backward, "a gradient", written(i), "another", written(j));
  }
}

}  // namespace

void backward(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
              const Tensor& dout, const ContentGradients& gradients,
              std::span<const Tensor> dweights, const ScoreOptions& options, Stream stream) {
  const ContentCall call = check_content(content_backward, plan, in, scores, options);
  check_same(content_backward, "dout", dout, scores);
  const ContentGradients to = check_targets(plan.reads(), gradients, scores);
  if (!dweights.empty())
    check_gradients(content_backward, plan.parts().shapes, dweights, scores.dtype);
  check_apart_all(call, to, dweights, {scores, dout});
  if (dout.elements() > 0)
    run(TermGradientOrder{call.term, call.at, scores, dout, to.dq, to.dk, to.dgates, to.dscores,
                          dweights, stream});
}

}  // namespace posenc
