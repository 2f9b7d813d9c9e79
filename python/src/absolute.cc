// absolute.cc: verbs of schemes that act on the input.
#include "plan.h"

namespace posenc::python {
namespace {

using nb::handle;
using nb::none;

const AbsolutePlan& absolute(const char* verb, const PythonPlan& plan) {
  return family_of<AbsolutePlan>(verb, "an absolute", plan);
}

void fill_rows(const PythonPlan& plan, handle table, handle at, handle stream) {
  const Given out = output(table);
  const Where where(at);
  const Stream on = stream_of(stream, out);
  work(out.tensor, [&] { fill(rows_of(plan.plan), out.tensor, where.positions(), on); });
}

void add_to(const PythonPlan& plan, handle x, handle out, handle at, handle stream) {
  const Given in = output(x), to = given(out);
  const Where where(at);
  const Stream on = stream_of(stream, in);
  const AbsolutePlan& rows = absolute("add", plan);
  work(in.tensor, [&] {
    add(rows, in.tensor, to.tensor.rank ? to.tensor : in.tensor, where.positions(), on);
  });
}

void embed_to(const PythonPlan& plan, handle ids, handle embedding, handle out,
              Number<"scale"> scale, handle at, handle stream) {
  const Given words = output(ids), rows = output(embedding), to = output(out);
  const Where where(at);
  const Stream on = stream_of(stream, to);
  const AbsolutePlan& of = absolute("embed", plan);
  work(to.tensor, [&] {
    embed(of, words.tensor, rows.tensor, to.tensor, {scale, where.positions()}, on);
  });
}

void backward_of(const PythonPlan& plan, handle dout, handle dweights, handle at, handle stream) {
  const Given in = output(dout);
  const GivenList list(dweights);
  const Where where(at);
  const Stream on = stream_of(stream, in);
  const AbsolutePlan& of = absolute("backward", plan);
  work(in.tensor, [&] { backward(of, in.tensor, list.tensors, where.positions(), on); });
}

void embedding_gradient(handle ids, handle dout, handle dembedding, Number<"scale"> scale,
                        handle stream) {
  const Given words = output(ids), in = output(dout), to = output(dembedding);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] { embed_backward(words.tensor, in.tensor, to.tensor, scale, on); });
}

void add_rows_of(handle table, handle x, handle out, handle at, handle stream) {
  const Given rows = output(table), in = output(x), to = given(out);
  const Where where(at);
  const Stream on = stream_of(stream, in);
  work(in.tensor, [&] {
    add_rows(rows.tensor, in.tensor, to.tensor.rank ? to.tensor : in.tensor, where.positions(), on);
  });
}

void resize_to(handle table, handle out, Word<"how"> how, Whole<"keep"> keep, handle stream) {
  const Given rows = output(table), to = output(out);
  const Stream on = stream_of(stream, to);
  const Resize rule = choice_of<Resize>("how", how);
  work(to.tensor, [&] { resize(rows.tensor, to.tensor, rule, keep, on); });
}

using Sides = std::vector<int64_t>;

void resize_grid_to(handle table, handle out, const Sides& old_grid, const Sides& new_grid,
                    Word<"how"> how, Whole<"keep"> keep, handle stream) {
  const Given rows = output(table), to = output(out);
  const Stream on = stream_of(stream, to);
  const Resize rule = choice_of<Resize>("how", how);
  work(to.tensor, [&] { resize_grid(rows.tensor, to.tensor, old_grid, new_grid, rule, keep, on); });
}

void resize_grid_gradient(handle dout, handle dtable, const Sides& old_grid, const Sides& new_grid,
                          Word<"how"> how, Whole<"keep"> keep, handle stream) {
  const Given in = output(dout), to = output(dtable);
  const Stream on = stream_of(stream, in);
  const Resize rule = choice_of<Resize>("how", how);
  work(in.tensor,
       [&] { resize_grid_backward(in.tensor, to.tensor, old_grid, new_grid, rule, keep, on); });
}

}  // namespace

void bind_absolute(nb::module_& m, PlanClass& plan) {
  plan.def("fill", fill_rows, arg("table"), arg("at") = none(), arg("stream") = none())
      .def("add", add_to, arg("x"), arg("out") = none(), arg("at") = none(), arg("stream") = none())
      .def("embed", embed_to, arg("ids"), arg("embedding"), arg("out"), arg("scale") = 1.0,
           arg("at") = none(), arg("stream") = none())
      .def("backward", backward_of, arg("dout"), arg("dweights"), arg("at") = none(),
           arg("stream") = none());
  m.def("embed_backward", embedding_gradient, arg("ids"), arg("dout"), arg("dembedding"),
        arg("scale") = 1.0, arg("stream") = none());
  m.def("add_rows", add_rows_of, arg("table"), arg("x"), arg("out") = none(), arg("at") = none(),
        arg("stream") = none());
  m.def("resize", resize_to, arg("table"), arg("out"), arg("how"), arg("keep") = 0,
        arg("stream") = none());
  m.def("resize_grid", resize_grid_to, arg("table"), arg("out"), arg("old_grid"), arg("new_grid"),
        arg("how"), arg("keep") = 0, arg("stream") = none());
  m.def("resize_grid_backward", resize_grid_gradient, arg("dout"), arg("dtable"), arg("old_grid"),
        arg("new_grid"), arg("how"), arg("keep") = 0, arg("stream") = none());
}

}  // namespace posenc::python
