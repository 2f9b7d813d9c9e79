// table_gradient.h: the gradient of a trained table.
#pragma once

#include "cuda/runtime.h"
#include "orders.h"

namespace posenc::cuda {

void add_table_gradient(const Place& place, const RowGradientOrder& order);

}  // namespace posenc::cuda
