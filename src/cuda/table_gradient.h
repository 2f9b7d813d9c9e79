// table_gradient.h: the gradients of trained tables.
#pragma once

#include "cuda/runtime.h"
#include "orders/orders.h"

namespace posenc::cuda {

void add_table_gradient(const DeviceStream& stream, const RowGradientOrder& order);
// Of tables whose rows are summed with weights.
void add_lookup_gradient(const DeviceStream& stream, const RowGradientOrder& order);

}  // namespace posenc::cuda
