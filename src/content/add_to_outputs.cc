// add_to_outputs.cc: vectors of the distance in the values (Shaw et al., 2018).
#include "base/sums.h"
#include "content/call.h"
#include "posenc/content/shaw.h"

namespace posenc {
namespace {

ContentCall check_outputs(const char* verb, const ContentPlan& plan, const Tensor& probabilities,
                          const Tensor& out, const ScoreOptions& options) {
  if (!plan.parts().formula.in_values)
    fail(verb, "expected the plan of a shaw, got one of ", plan.parts().name);
  check_scores(verb, probabilities);
  const ContentCall call = check_content(verb, plan, probabilities, options);
  check_heads(verb, "out", out, probabilities, probabilities.size(-2), plan.reads().dim,
              probabilities.dtype);
  return call;
}

}  // namespace

void add_to_outputs(const ContentPlan& plan, const Tensor& probabilities, const Tensor& out,
                    const ScoreOptions& options, Stream stream) {
  const char* verb = "add_to_outputs";
  const ContentCall call = check_outputs(verb, plan, probabilities, out, options);
  check_inputs_apart(verb, "out", out, call);
  check_apart(verb, "out", out, "the probabilities", probabilities);
  if (probabilities.elements() > 0)
    run(OutputsOrder{.term = call.term,
                     .at = call.at,
                     .probabilities = probabilities,
                     .out = out,
                     .stream = stream});
}

void outputs_backward(const ContentPlan& plan, const Tensor& probabilities, const Tensor& dout,
                      const Tensor& dprobabilities, std::span<const Tensor> dweights,
                      const ScoreOptions& options, Stream stream) {
  const char* verb = "outputs_backward";
  const ContentCall call = check_outputs(verb, plan, probabilities, dout, options);
  if (dprobabilities.rank > 0) {
    Tensor like = probabilities;
    like.dtype = compute_type(probabilities.dtype);
    check_same(verb, "dprobabilities", dprobabilities, like);
    check_inputs_apart(verb, "dprobabilities", dprobabilities, call);
    for (const Tensor& t : {probabilities, dout})
      check_apart(verb, "dprobabilities", dprobabilities, "what is read", t);
  }
  if (!dweights.empty()) check_gradients(verb, plan.parts().shapes, dweights, dout.dtype);
  check_gradients_apart(
      verb, dweights, {probabilities, dout, dprobabilities, options.queries.ids, options.keys.ids});
  if (probabilities.elements() > 0)
    run(OutputsOrder{call.term, call.at, probabilities, dout, true, dprobabilities, dweights,
                     stream});
}

}  // namespace posenc
