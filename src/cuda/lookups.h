// lookups.h: weighted sums of rows of trained tables, as kernels make them.
#pragma once

#include "cuda/element_types.h"
#include "cuda/views.h"
#include "orders/row_source.h"

namespace posenc::cuda {

// A lookup, and the table it reads.
struct DeviceLookup {
  Lookup of;
  const void* table = nullptr;
  DType dtype = DType::f32;
  int64_t row_step = 0, column_step = 0;

  __device__ Tap at(const DevicePlaces& at, int64_t row, int64_t token) const {
    const double p = at.value(of.axis, row, token);
    return of.on_grid ? of.on_sides(p, at.value(1, row, token)) : of.on_axis(p);
  }
};

// kCount columns of a weighted sum of rows of tables; NaN where a place is none.
template <int kCount, class C>
__device__ __noinline__ void sum_lookups(const DeviceLookup* lookups, int count,
                                         const DevicePlaces& at, int64_t row, int64_t token,
                                         int64_t column, C* out) {
  double sum[kCount] = {};
  for (int n = 0; n < count; ++n) {
    const DeviceLookup& lookup = lookups[n];
    const int64_t first = column - lookup.of.column;
    if (first + kCount <= 0 || first >= lookup.of.columns) continue;
    const Tap tap = lookup.at(at, row, token);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (first + i < 0 || first + i >= lookup.of.columns || tap.weight == 0) continue;
      const int64_t where = tap.row * lookup.row_step + (first + i) * lookup.column_step;
      sum[i] = tap.row < 0
                   ? not_a_number<double>()
                   : fma(tap.weight, read_as<double>(lookup.dtype, lookup.table, where), sum[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) out[i] = static_cast<C>(sum[i]);
}

// The lookups of a source and where their tables lie; copied to the device at the first call.
const DeviceLookup* lookups_on(const DeviceStream& stream, const RowSource& rows);

}  // namespace posenc::cuda
