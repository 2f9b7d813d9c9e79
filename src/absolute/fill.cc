// fill.cc: rows of a table.
#include "absolute/plan.h"
#include "base/check.h"
#include "orders/orders.h"
#include "posenc/absolute.h"

namespace posenc {

void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at, Stream stream) {
  const RowSource& rows = plan.parts();
  check_rows("fill", "table", table, rows.dim);
  const Places places = check_places("fill", rows, at, table);
  check_target("fill", rows, table, at);
  run(AddOrder{.rows = rows, .at = places, .out = table, .stream = stream});
}

void fill(const Absolute& scheme, const Tensor& table, const Positions& at, const PlanOptions& plan,
          Stream stream) {
  fill(prepare(scheme, plan), table, at, stream);
}

}  // namespace posenc
