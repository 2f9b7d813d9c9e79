// add.cc: rows added to the input.
#include "absolute/plan.h"
#include "base/check.h"
#include "orders/orders.h"
#include "posenc/absolute.h"

namespace posenc {
namespace {

void add(const char* verb, const RowSource& rows, const Tensor& x, const Tensor& out,
         const Positions& at, Stream stream) {
  check_rows(verb, "x", x, rows.dim);
  check_same(verb, "out", out, x);
  check_overlap(verb, x, out);
  const Places places = check_places(verb, rows, at, x);
  check_target(verb, rows, out, at);
  run(AddOrder{.rows = rows, .at = places, .out = out, .x = &x, .stream = stream});
}

}  // namespace

void add(const AbsolutePlan& plan, const Tensor& x, const Tensor& out, const Positions& at,
         Stream stream) {
  add("add", plan.parts(), x, out, at, stream);
}

void add(const Absolute& scheme, const Tensor& x, const Positions& at, const PlanOptions& plan,
         Stream stream) {
  add(prepare(scheme, plan), x, x, at, stream);
}

void add_rows(const Tensor& table, const Tensor& x, const Tensor& out, const Positions& at,
              Stream stream) {
  if (table.rank != 2)
    fail(ErrorKind::tensor, "add_rows", "expected a table [positions, dim], got ", describe(table));
  check_rows("add_rows", "table", table, table.size(1));
  check_apart("add_rows", "the output", out, "the table", table);
  RowSource rows;
  rows.dim = table.size(1), rows.table = Table{.rows = table};
  add("add_rows", rows, x, out, at, stream);
}

}  // namespace posenc
