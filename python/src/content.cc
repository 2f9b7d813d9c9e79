// content.cc: verbs of schemes that read queries or keys to act on scores.
#include "scores.h"

namespace posenc::python {
namespace {

const ContentPlan& content(const char* verb, const PythonPlan& plan) {
  return family_of<ContentPlan>(verb, "a content", plan);
}

struct Inputs {
  Given q, k, gates;
  Inputs(handle q_in, handle k_in, handle gates_in)
      : q(given(q_in)), k(given(k_in)), gates(given(gates_in)) {}
  ContentInputs all() const { return {q.tensor, k.tensor, gates.tensor}; }
};

void add_term(const PythonPlan& plan, handle scores, handle q, handle k, handle gates, handle out,
              handle queries, handle keys, WholeOrNone<"first_head"> first_head,
              Flag<"causal"> causal, Number<"scale"> scale, Word<"scale_on"> scale_on,
              handle stream) {
  const ContentPlan& of = content("add", plan);
  const Given in = output(scores), to = given(out);
  const Inputs read(q, k, gates);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] { add(of, read.all(), in.tensor, or_else(to, in), how.options, on); });
}

void term_gradient(const PythonPlan& plan, handle scores, handle dout, handle q, handle k,
                   handle gates, handle dq, handle dk, handle dgates, handle dscores,
                   handle dweights, handle queries, handle keys,
                   WholeOrNone<"first_head"> first_head, Flag<"causal"> causal,
                   Number<"scale"> scale, Word<"scale_on"> scale_on, handle stream) {
  const ContentPlan& of = content("backward", plan);
  const Given in = given(scores), from = output(dout);
  const Inputs read(q, k, gates), to(dq, dk, dgates);
  const Given dscores_to = given(dscores);
  const GivenList list(dweights);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, from);
  const ContentGradients wanted{to.q.tensor, to.k.tensor, to.gates.tensor, dscores_to.tensor};
  work(from.tensor, [&] {
    backward(of, read.all(), in.tensor, from.tensor, wanted, list.tensors, how.options, on);
  });
}

void add_values(const PythonPlan& plan, handle probabilities, handle out, handle queries,
                handle keys, WholeOrNone<"first_head"> first_head, Flag<"causal"> causal,
                Number<"scale"> scale, Word<"scale_on"> scale_on, handle stream) {
  const ContentPlan& of = content("add_to_outputs", plan);
  const Given in = output(probabilities), to = output(out);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] { add_to_outputs(of, in.tensor, to.tensor, how.options, on); });
}

void values_gradient(const PythonPlan& plan, handle probabilities, handle dout,
                     handle dprobabilities, handle dweights, handle queries, handle keys,
                     WholeOrNone<"first_head"> first_head, Flag<"causal"> causal,
                     Number<"scale"> scale, Word<"scale_on"> scale_on, handle stream) {
  const ContentPlan& of = content("outputs_backward", plan);
  const Given in = output(probabilities), from = output(dout), to = given(dprobabilities);
  const GivenList list(dweights);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] {
    outputs_backward(of, in.tensor, from.tensor, to.tensor, list.tensors, how.options, on);
  });
}

}  // namespace

void bind_content(PlanClass& plan) {
  def_scores(plan, "add_term", add_term, arg("scores"), arg("q") = none(), arg("k") = none(),
             arg("gates") = none(), arg("out") = none());
  def_scores(plan, "backward_term", term_gradient, arg("scores"), arg("dout"), arg("q") = none(),
             arg("k") = none(), arg("gates") = none(), arg("dq") = none(), arg("dk") = none(),
             arg("dgates") = none(), arg("dscores") = none(), arg("dweights") = none());
  def_scores(plan, "add_to_outputs", add_values, arg("probabilities"), arg("out"));
  def_scores(plan, "outputs_backward", values_gradient, arg("probabilities"), arg("dout"),
             arg("dprobabilities") = none(), arg("dweights") = none());
}

}  // namespace posenc::python
