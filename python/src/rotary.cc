// rotary.cc: verbs that turn queries and keys.
#include "plan.h"

namespace posenc::python {
namespace {

using nb::handle;
using nb::none;

const RotaryPlan& rotary(const char* verb, const PythonPlan& plan) {
  return family_of<RotaryPlan>(verb, "a rotary", plan);
}

// Queries and keys; a third and fourth tensor, where they are given, are where the result goes.
struct Both {
  Given q, k, q_out, k_out;
  Both(handle q_in, handle k_in, handle q_to, handle k_to, bool heads_first)
      : q(given(q_in, heads_first)),
        k(given(k_in, heads_first)),
        q_out(given(q_to, heads_first)),
        k_out(given(k_to, heads_first)) {}
  const Given& any() const { return q.tensor.rank ? q : k; }
  QueriesKeys in() const { return {q.tensor, k.tensor}; }
  QueriesKeys out() const {
    return {q_out.tensor.rank ? q_out.tensor : q.tensor,
            k_out.tensor.rank ? k_out.tensor : k.tensor};
  }
  QueriesKeys second() const { return {q_out.tensor, k_out.tensor}; }
};

using Verb = void (*)(const RotaryPlan&, const QueriesKeys&, const QueriesKeys&, const Positions&,
                      Stream);

template <Verb verb>
void turn(const PythonPlan& plan, handle q, handle k, handle q_out, handle k_out, handle at,
          Flag<"heads_first"> heads_first, handle stream) {
  const RotaryPlan& of = rotary("rotate", plan);
  const Both both(q, k, q_out, k_out, heads_first);
  const Where where(at);
  const Stream on = stream_of(stream, both.any());
  work(both.any().tensor, [&] { verb(of, both.in(), both.out(), where.positions(), on); });
}

using TableVerb = void (*)(const CosSin&, Layout, const QueriesKeys&, const QueriesKeys&,
                           const Positions&, Stream);

template <TableVerb verb>
void turn_by(handle cosines, handle sines, Word<"layout"> layout, handle q, handle k, handle q_out,
             handle k_out, handle at, Flag<"heads_first"> heads_first, handle stream) {
  const Given c = output(cosines), s = output(sines);
  const Both both(q, k, q_out, k_out, heads_first);
  const Where where(at);
  const Stream on = stream_of(stream, both.any());
  const Layout order = choice_of<Layout>("layout", layout);
  work(both.any().tensor, [&] {
    verb({c.tensor, s.tensor}, order, both.in(), both.out(), where.positions(), on);
  });
}

void frequency_gradient(const PythonPlan& plan, handle q, handle k, handle dq, handle dk,
                        handle dfrequency, handle at, Flag<"heads_first"> heads_first,
                        handle stream) {
  const RotaryPlan& of = rotary("backward", plan);
  const Both both(q, k, dq, dk, heads_first);
  const Given to = output(dfrequency);
  const Where where(at);
  const Stream on = stream_of(stream, both.any());
  work(both.any().tensor,
       [&] { backward(of, both.in(), both.second(), to.tensor, where.positions(), on); });
}

void move_keys(const PythonPlan& from, handle was, const PythonPlan& to, handle is, handle k,
               Flag<"heads_first"> heads_first, handle stream) {
  const RotaryPlan &before = rotary("move", from), &after = rotary("move", to);
  const Where old_places(was), new_places(is);
  output(k);
  const Given keys = given(k, heads_first);
  const Stream on = stream_of(stream, keys);
  work(keys.tensor, [&] {
    move(before, old_places.positions(), after, new_places.positions(), keys.tensor, on);
  });
}

void polar(handle x, handle out, Word<"layout"> layout, handle stream) {
  const Given in = output(x), to = output(out);
  const Stream on = stream_of(stream, in);
  const Layout order = choice_of<Layout>("layout", layout);
  work(in.tensor, [&] { to_polar(in.tensor, to.tensor, order, on); });
}

void polar_gradient(handle x, handle dout, handle dx, Word<"layout"> layout, handle stream) {
  const Given in = output(x), from = output(dout), to = output(dx);
  const Stream on = stream_of(stream, in);
  const Layout order = choice_of<Layout>("layout", layout);
  work(in.tensor, [&] { to_polar_backward(in.tensor, from.tensor, to.tensor, order, on); });
}

}  // namespace

void bind_rotary(nb::module_& m, PlanClass& plan) {
  const auto def_turn = [&](const char* name, auto verb) {
    plan.def(name, verb, arg("q"), arg("k") = none(), arg("q_out") = none(), arg("k_out") = none(),
             arg("at") = none(), arg("heads_first") = false, arg("stream") = none());
  };
  def_turn("rotate", turn<static_cast<Verb>(rotate)>);
  def_turn("rotate_adjoint", turn<static_cast<Verb>(rotate_adjoint)>);
  def_turn("rotate_inverse", turn<static_cast<Verb>(rotate_inverse)>);
  plan.def("rotate_backward", frequency_gradient, arg("q"), arg("k"), arg("dq"), arg("dk"),
           arg("dfrequency"), arg("at") = none(), arg("heads_first") = false,
           arg("stream") = none());
  const auto def_table = [&](const char* name, auto verb) {
    m.def(name, verb, arg("cos"), arg("sin"), arg("layout"), arg("q"), arg("k") = none(),
          arg("q_out") = none(), arg("k_out") = none(), arg("at") = none(),
          arg("heads_first") = false, arg("stream") = none());
  };
  def_table("rotate_by", turn_by<static_cast<TableVerb>(rotate)>);
  def_table("rotate_by_adjoint", turn_by<static_cast<TableVerb>(rotate_adjoint)>);
  m.def("move", move_keys, arg("from_plan"), arg("was"), arg("to_plan"), arg("now"), arg("k"),
        arg("heads_first") = false, arg("stream") = none());
  m.def("to_polar", polar, arg("x"), arg("out"), arg("layout"), arg("stream") = none());
  m.def("to_polar_backward", polar_gradient, arg("x"), arg("dout"), arg("dx"), arg("layout"),
        arg("stream") = none());
}

}  // namespace posenc::python
