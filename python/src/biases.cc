// biases.cc: verbs of schemes that act on scores by position alone.
#include "plan.h"
#include "scores.h"

namespace posenc::python {
namespace {

const BiasPlan& bias_plan(const char* verb, const PythonPlan& plan) {
  return family_of<BiasPlan>(verb, "a bias", plan);
}

void fill_scores(const PythonPlan& plan, handle out, handle queries, handle keys,
                 WholeOrNone<"first_head"> first_head, Flag<"causal"> causal, Number<"scale"> scale,
                 Word<"scale_on"> scale_on, handle stream) {
  const BiasPlan& of = bias_plan("fill", plan);
  const Given to = output(out);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, to);
  work(to.tensor, [&] { fill(of, to.tensor, how.options, on); });
}

void add_to_scores(const PythonPlan& plan, handle scores, handle out, handle queries, handle keys,
                   WholeOrNone<"first_head"> first_head, Flag<"causal"> causal,
                   Number<"scale"> scale, Word<"scale_on"> scale_on, handle stream) {
  const BiasPlan& of = bias_plan("add", plan);
  const Given in = output(scores), to = given(out);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] { add(of, in.tensor, or_else(to, in), how.options, on); });
}

void gradient(const PythonPlan& plan, handle dout, handle dweights, handle queries, handle keys,
              WholeOrNone<"first_head"> first_head, Flag<"causal"> causal, Number<"scale"> scale,
              Word<"scale_on"> scale_on, handle stream) {
  const BiasPlan& of = bias_plan("backward", plan);
  const Given in = output(dout);
  const GivenList list(dweights);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] { backward(of, in.tensor, list.tensors, how.options, on); });
}

void add_line(handle profile, Whole<"first"> first, handle scores, handle out, handle queries,
              handle keys, WholeOrNone<"first_head"> first_head, Flag<"causal"> causal,
              Number<"scale"> scale, Word<"scale_on"> scale_on, handle stream) {
  const Given line = output(profile), in = output(scores), to = given(out);
  const ScoreArguments how(queries, keys, first_head, causal, scale, scale_on);
  const Stream on = stream_of(stream, in);
  work(in.tensor,
       [&] { add_profile(line.tensor, first, in.tensor, or_else(to, in), how.options, on); });
}

void fill_line(const PythonPlan& plan, handle profile, Whole<"first"> first,
               WholeOrNone<"first_head"> first_head, handle stream) {
  const BiasPlan& of = bias_plan("fill_profile", plan);
  const Given to = output(profile);
  const Stream on = stream_of(stream, to);
  work(to.tensor, [&] { fill_profile(of, to.tensor, first, first_head, on); });
}

}  // namespace

void bind_biases(nb::module_& m, PlanClass& plan) {
  def_scores(plan, "fill_bias", fill_scores, arg("out"));
  def_scores(plan, "add_bias", add_to_scores, arg("scores"), arg("out") = none());
  def_scores(plan, "backward_bias", gradient, arg("dout"), arg("dweights"));
  plan.def("fill_profile", fill_line, arg("profile"), arg("first"), arg("first_head") = none(),
           arg("stream") = none())
      .def(
          "bias_at",
          [](const PythonPlan& p, Whole<"head"> head, Number<"query"> query, Number<"key"> key) {
            return bias(bias_plan("bias", p), head, query, key);
          },
          arg("head"), arg("query"), arg("key"));
  def_scores(m, "add_profile", add_line, arg("profile"), arg("first"), arg("scores"),
             arg("out") = none());
}

}  // namespace posenc::python
