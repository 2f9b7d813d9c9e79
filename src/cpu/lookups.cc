// lookups.cc: rows that are weighted sums of rows of trained tables.
#include "cpu/lookups.h"

#include <algorithm>

#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "cpu/kernels/rows.h"

namespace posenc::cpu {
namespace {

// What of [column, column + columns) a lookup adds to.
struct Overlap {
  int64_t first, count;
  Overlap(const posenc::Lookup& lookup, int64_t column, int64_t columns)
      : first(std::max(lookup.column, column)),
        count(std::min(lookup.column + lookup.columns, column + columns) - first) {}
};

template <class T>
void add_row(const Tensor& table, const Tap& tap, int64_t first, int64_t count, double* sum) {
  const Batch rows(table, 2);
  for (int64_t c = 0; c < count; ++c)
    sum[c] += tap.weight * as_double(*static_cast<const T*>(rows.at(0, tap.row, first + c)));
}

}  // namespace

void sum_lookups(const Lookups& lookups, const Coordinates& at, int64_t column, int64_t columns,
                 Rows out) {
  double sums[chunk_columns];
  for (int64_t r = 0; r < at.rows; ++r) {
    std::fill_n(sums, columns, 0.0);
    for (const posenc::Lookup& lookup : lookups.list) {
      const Overlap part(lookup, column, columns);
      if (part.count <= 0) continue;
      const Tap tap = lookup.on_grid ? lookup.on_sides(at.value[0][r], at.value[1][r])
                                     : lookup.on_axis(at.value[lookup.axis][r]);
      if (tap.weight == 0) continue;
      const Tensor& table = lookups.tables[static_cast<size_t>(lookup.weight)];
      dispatch(table.dtype, [&]<class T>() {
        add_row<T>(table, tap, part.first - lookup.column, part.count,
                   sums + (part.first - column));
      });
    }
    dispatch(out.dtype, [&]<class T>() {
      T* to = static_cast<T*>(out.data) + r * out.ld;
      for (int64_t c = 0; c < columns; ++c) to[c] = rounded_to<T>(static_cast<Compute<T>>(sums[c]));
    });
  }
}

void add_lookup_gradient(const RowGradientOrder& order) {
  const Batch dout(order.dout, 2);
  const int64_t dim = order.rows.dim, bytes = order.dout.elements() * size_of(order.dout.dtype);
  const int64_t lines = (dim + 15) / 16, groups = std::min(threads_for(bytes), lines);
  parallel_for(groups, bytes, [&](int64_t group) {  // each owns some columns
    const int64_t column = lines * group / groups * 16;
    const int64_t columns = std::min(lines * (group + 1) / groups * 16, dim) - column;
    for (int64_t row = 0; row < dout.rows; ++row)
      for (int64_t token = 0; token < dout.tokens(); ++token)
        for (const posenc::Lookup& lookup : order.rows.lookups.list) {
          const Overlap part(lookup, column, columns);
          if (part.count <= 0) continue;
          const double p = order.at.value(lookup.axis, row, token);
          const Tap tap = lookup.on_grid ? lookup.on_sides(p, order.at.value(1, row, token))
                                         : lookup.on_axis(p);
          if (tap.weight == 0) continue;
          const Tensor& sums = order.dweights[static_cast<size_t>(lookup.weight)];
          void* to = Batch(sums, 2).at(0, tap.row, part.first - lookup.column);
          accumulate_rows(order.dout.dtype, dout.block(row, token, part.first),
                          {&to, sums.step(1), tap.weight}, 1, part.count);
        }
  });
}

}  // namespace posenc::cpu
