// rotate_into.cc: normalises and rotates queries and keys and writes keys and values to a cache.
#include "posenc/rotate_into.h"

#include "plan.h"

namespace posenc::python {
namespace {

using nb::handle;
using nb::none;

// Every tensor of a call; it lives as long as the call.
struct Step {
  Given q, k, v, q_out, k_out, q_norm, k_norm, k_cache, v_cache, slots, block_table, sequences;
  const Given& any() const { return q.tensor.rank ? q : k; }
};

void rotate_into_cache(const PythonPlan& plan, handle q, handle k, handle v, handle q_out,
                       handle k_out, handle q_norm, handle k_norm, Number<"epsilon"> epsilon,
                       Flag<"one_plus"> one_plus, handle k_cache, handle v_cache, handle slots,
                       handle block_table, handle sequences, handle cache_at, handle at,
                       Flag<"heads_first"> heads_first, handle stream) {
  const auto& of = family_of<RotaryPlan>("rotate_into", "a rotary", plan);
  const Step step{given(q, heads_first),
                  given(k, heads_first),
                  given(v, heads_first),
                  given(q_out, heads_first),
                  given(k_out, heads_first),
                  given(q_norm),
                  given(k_norm),
                  given(k_cache),
                  given(v_cache),
                  given(slots),
                  given(block_table),
                  given(sequences)};
  const Where where(at), places(cache_at);
  RotateIntoOptions options{{step.q_norm.tensor, step.k_norm.tensor, epsilon, one_plus},
                            step.v.tensor,
                            {step.k_cache.tensor, step.v_cache.tensor, step.slots.tensor,
                             step.block_table.tensor, step.sequences.tensor, std::nullopt}};
  if (!cache_at.is_none()) options.cache.at = places.positions();
  const Stream on = stream_of(stream, step.any());
  work(step.any().tensor, [&] {
    rotate_into(of, {step.q.tensor, step.k.tensor}, {step.q_out.tensor, step.k_out.tensor}, options,
                where.positions(), on);
  });
}

void norm_and_rotate_by(handle cosines, handle sines, Word<"layout"> layout, handle q, handle k,
                        handle q_out, handle k_out, handle q_norm, handle k_norm,
                        Number<"epsilon"> epsilon, Flag<"one_plus"> one_plus, handle at,
                        Flag<"heads_first"> heads_first, handle stream) {
  const Given c = output(cosines), s = output(sines), gain_q = given(q_norm),
              gain_k = given(k_norm);
  const Given from_q = given(q, heads_first), from_k = given(k, heads_first);
  const Given to_q = given(q_out, heads_first), to_k = given(k_out, heads_first);
  const RotateIntoOptions options{{gain_q.tensor, gain_k.tensor, epsilon, one_plus}, {}, {}};
  const Where where(at);
  const Stream on = stream_of(stream, from_q);
  const Layout order = choice_of<Layout>("layout", layout);
  work(from_q.tensor, [&] {
    rotate_into(CosSin{c.tensor, s.tensor}, order, {from_q.tensor, from_k.tensor},
                {to_q.tensor, to_k.tensor}, options, where.positions(), on);
  });
}

}  // namespace

void bind_rotate_into(nb::module_& m, PlanClass& plan) {
  m.def("norm_and_rotate_by", norm_and_rotate_by, arg("cos"), arg("sin"), arg("layout"), arg("q"),
        arg("k"), arg("q_out"), arg("k_out"), arg("q_norm"), arg("k_norm"), arg("epsilon"),
        arg("one_plus"), arg("at") = none(), arg("heads_first") = false, arg("stream") = none());
  plan.def("rotate_into", rotate_into_cache, arg("q"), arg("k"), arg("v") = none(),
           arg("q_out") = none(), arg("k_out") = none(), arg("q_norm") = none(),
           arg("k_norm") = none(), arg("epsilon") = 1e-6, arg("one_plus") = false,
           arg("k_cache") = none(), arg("v_cache") = none(), arg("slots") = none(),
           arg("block_table") = none(), arg("sequences") = none(), arg("cache_at") = none(),
           arg("at") = none(), arg("heads_first") = false, arg("stream") = none());
}

}  // namespace posenc::python
