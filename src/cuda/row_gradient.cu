// row_gradient.cu: gradients of what rows are made of.
#include "cuda/table_gradient.h"
#include "cuda/wave_gradient.h"

namespace posenc::cuda {

void run(const RowGradientOrder& order) {
  const DeviceStream stream(order.dout, order.stream);
  if (order.rows.table) return add_table_gradient(stream, order);
  order.rows.has_waves() ? add_wave_gradient(stream, order) : add_lookup_gradient(stream, order);
}

}  // namespace posenc::cuda
