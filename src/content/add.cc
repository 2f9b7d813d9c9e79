// add.cc: scores with the term of a content scheme.
#include "content/call.h"
#include "posenc/content.h"

namespace posenc {

void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options, Stream stream) {
  const ContentCall call = check_content("add", plan, in, scores, options);
  check_same("add", "out", out, scores);
  check_overlap("add", scores, out);
  check_inputs_apart("add", "out", out, call);
  if (out.elements() > 0) run(AddTermOrder{call.term, call.at, scores, out, stream});
}

void add(const Content& scheme, const ContentInputs& in, const Tensor& scores,
         const ScoreOptions& options, const PlanOptions& plan, Stream stream) {
  add(prepare(scheme, plan), in, scores, options, stream);
}

}  // namespace posenc
