// attend.cc: attention that knows where its tokens stand.
#include "posenc/attend.h"

#include "scores.h"

namespace posenc::python {
namespace {

void attend_by(const Plan& plan, handle q, handle k, handle v, handle out, handle queries,
               handle keys, bool causal, std::optional<double> scale, std::string_view scale_on,
               bool softmax_factor, std::optional<int64_t> first_head, handle gates,
               const PythonPlan* values) {
  const Given queries_in = output(q), keys_in = output(k), values_in = output(v), to = output(out);
  const Given forget = given(gates);
  const Where query_places(queries), key_places(keys);
  AttendOptions how{query_places.positions(),
                    key_places.positions(),
                    causal,
                    scale,
                    choice_of<ScaleOn>("scale_on", scale_on),
                    softmax_factor,
                    first_head,
                    forget.tensor,
                    {}};
  if (values) how.values = family_of<ContentPlan>("attend", "a content", *values);
  work(keys_in.tensor, [&] {
    attend(plan, {queries_in.tensor, keys_in.tensor, values_in.tensor}, to.tensor, how);
  });
}

void attend_plainly(handle q, handle k, handle v, handle out, handle queries, handle keys,
                    Flag<"causal"> causal, NumberOrNone<"scale"> scale) {
  attend_by({}, q, k, v, out, queries, keys, causal, scale, "scores", false, {}, none(), nullptr);
}

}  // namespace

void bind_attend(nb::module_& m, PlanClass& plan) {
  plan.def(
      "attend",
      [](const PythonPlan& p, handle q, handle k, handle v, handle out, handle queries, handle keys,
         Flag<"causal"> causal, NumberOrNone<"scale"> scale, Word<"scale_on"> scale_on,
         Flag<"softmax_factor"> softmax_factor, WholeOrNone<"first_head"> first_head, handle gates,
         const PythonPlan* values) {
        attend_by(p.plan, q, k, v, out, queries, keys, causal, scale, scale_on, softmax_factor,
                  first_head, gates, values);
      },
      arg("q"), arg("k"), arg("v"), arg("out"), arg("queries") = none(), arg("keys") = none(),
      arg("causal") = false, arg("scale") = none(), arg("scale_on") = "scores",
      arg("softmax_factor") = false, arg("first_head") = none(), arg("gates") = none(),
      arg("values") = none());
  m.def("attend", attend_plainly, arg("q"), arg("k"), arg("v"), arg("out"), arg("queries") = none(),
        arg("keys") = none(), arg("causal") = false, arg("scale") = none());
}

}  // namespace posenc::python
