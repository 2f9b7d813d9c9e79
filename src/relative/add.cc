// add.cc: biases added to scores.
#include "relative/call.h"

namespace posenc {
namespace {

void check_out(const char* verb, const Tensor& scores, const Tensor& out,
               const ScoreOptions& options) {
  check_same(verb, "out", out, scores);
  check_output(verb, out);
  check_overlap(verb, scores, out);
  check_apart(verb, out, options);
}

}  // namespace

void add(const BiasPlan& plan, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options) {
  const auto& parts = plan.parts();
  check_scores("add", scores);
  const ScorePlaces at = check_call("add", parts.formula, parts.heads, scores, options);
  check_out("add", scores, out, options);
  if (out.elements() == 0) return;
  const CallBiases biases = biases_of(parts, at, options, compute_type(out.dtype));
  run(AddBiasOrder{biases.source, at, scores, out, options.scale});
}

void add(const Bias& scheme, const Tensor& scores, const ScoreOptions& options,
         const PlanOptions& plan) {
  add(prepare(scheme, plan), scores, options);
}

}  // namespace posenc
