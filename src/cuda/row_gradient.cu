// row_gradient.cu: gradients of what rows are made of.
#include "cuda/table_gradient.h"
#include "cuda/wave_gradient.h"

namespace posenc::cuda {

void run(const RowGradientOrder& order) {
  const Place place(order.dout, order.stream);
  if (order.rows.table) return add_table_gradient(place, order);
  order.rows.has_waves() ? add_wave_gradient(place, order) : add_lookup_gradient(place, order);
}

}  // namespace posenc::cuda
