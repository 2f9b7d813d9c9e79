// lookups.h: rows that are weighted sums of rows of trained tables.
#pragma once

#include "cpu/kernels/waves.h"
#include "orders/orders.h"
#include "orders/row_source.h"

namespace posenc::cpu {

// Columns [column, column + columns) of the rows at the coordinates: sums in f64, then rounded.
void sum_lookups(const Lookups& lookups, const Coordinates& at, int64_t column, int64_t columns,
                 Rows out);

// dweights += dout times the weight with which each row was read, token after token.
void add_lookup_gradient(const RowGradientOrder& order);

}  // namespace posenc::cpu
