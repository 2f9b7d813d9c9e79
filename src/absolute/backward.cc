// backward.cc: gradients of what absolute schemes learn.
#include "absolute/plan.h"
#include "base/device_weights.h"
#include "base/sums.h"
#include "orders/orders.h"

namespace posenc {

void backward(const AbsolutePlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const Positions& at, Stream stream) {
  const RowSource& rows = plan.parts();
  check_rows("backward", "dout", dout, rows.dim);
  const Places places = check_places("backward", rows, at, dout);
  check_beside("backward", "dout", dout, rows.device_weights);
  check_gradients("backward", rows.shapes, dweights, dout.dtype);
  check_gradients_apart("backward", dweights, {dout, at.ids});
  if (rows.table) check_gradients_apart("backward", dweights, {rows.table->rows});
  for (const Tensor& table : rows.lookups.tables)
    check_gradients_apart("backward", dweights, {table});
  if (!dweights.empty())
    run(RowGradientOrder{
        .rows = rows, .at = places, .dout = dout, .dweights = dweights, .stream = stream});
}

}  // namespace posenc
