// row_gradient.cu: gradients of what rows are made of.
#include "cuda/table_gradient.h"
#include "cuda/wave_gradient.h"

namespace posenc::cuda {

void run(const RowGradientOrder& order) {
  const Place place(order.dout, order.stream);
  order.rows.table ? add_table_gradient(place, order) : add_wave_gradient(place, order);
}

}  // namespace posenc::cuda
