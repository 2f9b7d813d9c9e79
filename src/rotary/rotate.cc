// rotate.cc: rotate, its adjoint and its inverse.
#include <algorithm>

#include "base/check.h"
#include "cpu/kernels/rotate.h"
#include "rotary/turning.h"

namespace posenc {
namespace {

void turn(const char* verb, Way way, const RotaryPlan& plan, const QueriesKeys& in,
          const QueriesKeys& out, const Positions& at, Stream stream) {
  TurnOrder order = check_turn(verb, plan, in, out, at);
  order.way = way, order.stream = stream;
  run(order);
}

void check_table(const char* verb, const CosSin& table, int64_t dim) {
  const Tensor &c = table.cos, &s = table.sin;
  const int64_t most = std::min(dim / 2, cpu::max_pairs);
  if (c.rank != 2 || !is_float(c.dtype) || c.dtype != s.dtype || !same_shape(c, s) ||
      c.size(1) > most)
    fail(ErrorKind::tensor, verb, "expected cos and sin as one float type [positions, up to ", most,
         " pairs], got ", describe(c), " and ", describe(s));
  check_memory(verb, "cos", c);
  check_memory(verb, "sin", s);
}

void turn(const char* verb, Way way, const CosSin& table, Layout layout, const QueriesKeys& in,
          const QueriesKeys& out, const Positions& at, Stream stream) {
  check_choices(verb, layout, "the layout");
  const Tensor& some = in.q.rank > 0 ? in.q : in.k;
  const int64_t dim = some.rank > 0 ? some.size(-1) : 0;
  check_table(verb, table, dim);
  RowSource rows;
  rows.dim = 2 * table.cos.size(1), rows.table = Table{.rows = table.cos, .more = table.sin};
  TurnOrder order =
      check_turn(verb, Turning{{dim, 0, table.cos.size(1), 1, layout}}, rows, in, out, at);
  for (const Tensor* to : {&out.q, &out.k})
    for (const Tensor* from : {&table.cos, &table.sin})
      check_apart(verb, "the output", *to, "the table", *from);
  order.way = way, order.stream = stream;
  run(order);
}

}  // namespace

void rotate(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at, Stream stream) {
  turn("rotate", Way::forward, table, layout, in, out, at, stream);
}

void rotate_adjoint(const CosSin& table, Layout layout, const QueriesKeys& dy,
                    const QueriesKeys& dx, const Positions& at, Stream stream) {
  turn("rotate_adjoint", Way::adjoint, table, layout, dy, dx, at, stream);
}

void rotate(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at, Stream stream) {
  turn("rotate", Way::forward, plan, in, out, at, stream);
}

void rotate(const Rope& scheme, const QueriesKeys& x, const Positions& at, const PlanOptions& plan,
            Stream stream) {
  rotate(prepare(scheme, plan), x, at, stream);
}

void rotate_adjoint(const RotaryPlan& plan, const QueriesKeys& dy, const QueriesKeys& dx,
                    const Positions& at, Stream stream) {
  turn("rotate_adjoint", Way::adjoint, plan, dy, dx, at, stream);
}

void rotate_inverse(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                    const Positions& at, Stream stream) {
  turn("rotate_inverse", Way::inverse, plan, in, out, at, stream);
}

}  // namespace posenc
