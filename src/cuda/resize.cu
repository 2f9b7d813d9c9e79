// resize.cu: rows of a table made of rows of another.
#include "absolute/taps.h"
#include "base/dispatch.h"
#include "cuda/numbers.h"
#include "cuda/views.h"
#include "orders.h"

namespace posenc::cuda {
namespace {

struct ResizeCall {
  View table, out;  // [rows, dim]
  int64_t from, to, keep, chunks;
  Resize how;
};

// A thread makes kCount columns of a row.
template <int kCount, class T>
__global__ void resize_rows(const __grid_constant__ ResizeCall c) {
  const Divided at = divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.chunks);
  const int64_t row = at.quotient, column = at.rest * kCount;
  if (row >= c.to) return;
  const Taps taps = taps_of(c.how, c.keep, row, c.from, c.to);
  double sum[kCount] = {};
#pragma unroll
  for (int i = 0; i < 4; ++i) {
    if (i >= taps.count) break;
    Compute<T> x[kCount];
    read<kCount>(c.table.at<T>(0) + taps.row[i] * c.table.last[0] + column * c.table.last[1],
                 c.table.last[1], x);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      sum[k] = fma(taps.weight[i], static_cast<double>(x[k]), sum[k]);
  }
  Compute<T> rounded[kCount];
#pragma unroll
  for (int k = 0; k < kCount; ++k) rounded[k] = static_cast<Compute<T>>(sum[k]);
  write<kCount>(c.out.at<T>(0) + row * c.out.last[0] + column * c.out.last[1], c.out.last[1],
                rounded);
}

}  // namespace

void run(const ResizeOrder& order) {
  if (order.out.elements() == 0) return;
  const Place place(order.out, order.stream);
  const int64_t dim = order.out.size(1);
  ResizeCall c{View(order.table, 2),
               View(order.out, 2),
               order.table.size(0),
               order.out.size(0),
               order.keep,
               dim,
               order.how};
  dispatch(order.out.dtype, [&]<class T>() {
    constexpr int most = Pack<T>::size;
    const bool packs = dim % most == 0 && c.table.aligned(2) && c.out.aligned(2);
    if (packs) c.chunks = dim / most;
    launch(place, "a table resized", shape_of(c.to * c.chunks, 128),
           packs ? resize_rows<most, T> : resize_rows<1, T>, c);
  });
}

}  // namespace posenc::cuda
