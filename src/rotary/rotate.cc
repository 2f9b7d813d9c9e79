// rotate.cc: rotate, its adjoint and its inverse.
#include "base/check.h"
#include "posenc/rotary.h"
#include "rotary/call.h"

namespace posenc {
namespace {

// Queries by rows of their own.
void rotate_split_qk(const char* verb, Way way, const RotaryPlan::Parts& plan,
                     const QueriesKeys& in, const QueriesKeys& out, const Positions& at,
                     Stream stream) {
  RotarySettings shared = plan.settings;
  shared.row_heads = 1;
  RotateOrder q = check_rotate(verb, shared, plan.queries->parts(), in, out, at);
  q.way = way, q.stream = stream, q.k = {};
  if (in.k.rank > 0) {
    RotateOrder k =
        check_rotate(verb, plan.settings, plan.table.parts(), {{}, in.k}, {{}, out.k}, at);
    k.way = way, k.stream = stream;
    run(k);
  }
  run(q);
}

void rotate_as(const char* verb, Way way, const RotaryPlan& plan, const QueriesKeys& in,
               const QueriesKeys& out, const Positions& at, Stream stream) {
  if (plan.parts().queries && in.q.rank > 0)
    return rotate_split_qk(verb, way, plan.parts(), in, out, at, stream);
  RotateOrder order = check_rotate(verb, plan, in, out, at);
  order.way = way, order.stream = stream;
  run(order);
}

void rotate_as(const char* verb, Way way, const CosSin& table, Layout layout, const QueriesKeys& in,
               const QueriesKeys& out, const Positions& at, Stream stream) {
  const CheckedTable by = check_table(verb, table, layout, in);
  RotateOrder order = check_rotate(verb, by.settings, by.rows, in, out, at);
  for (const Tensor* to : {&out.q, &out.k}) check_apart(verb, *to, table);
  order.way = way, order.stream = stream;
  run(order);
}

}  // namespace

void rotate(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at, Stream stream) {
  rotate_as("rotate", Way::forward, table, layout, in, out, at, stream);
}

void rotate_adjoint(const CosSin& table, Layout layout, const QueriesKeys& dy,
                    const QueriesKeys& dx, const Positions& at, Stream stream) {
  rotate_as("rotate_adjoint", Way::adjoint, table, layout, dy, dx, at, stream);
}

void rotate(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at, Stream stream) {
  rotate_as("rotate", Way::forward, plan, in, out, at, stream);
}

void rotate(const Rope& scheme, const QueriesKeys& x, const Positions& at, const PlanOptions& plan,
            Stream stream) {
  rotate(prepare(scheme, plan), x, at, stream);
}

void rotate_adjoint(const RotaryPlan& plan, const QueriesKeys& dy, const QueriesKeys& dx,
                    const Positions& at, Stream stream) {
  rotate_as("rotate_adjoint", Way::adjoint, plan, dy, dx, at, stream);
}

void rotate_inverse(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                    const Positions& at, Stream stream) {
  rotate_as("rotate_inverse", Way::inverse, plan, in, out, at, stream);
}

}  // namespace posenc
