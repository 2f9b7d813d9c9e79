// resize.cu: rows of a table made of rows of another, and the other way round.
#include "base/dispatch.h"
#include "cuda/element_types.h"
#include "cuda/views.h"
#include "orders/orders.h"
#include "orders/taps.h"

namespace posenc::cuda {
namespace {

struct ResizeCall {
  View in, out;  // [rows, dim]
  int64_t rows, keep, chunks;
  Resize how;
  GridSides sides;
};

// What a row is made of on each side: Taps, or Touched in the adjoint.
template <bool kAdjoint>
__device__ auto parts_of(const ResizeCall& c, int side, int64_t r) {
  if constexpr (kAdjoint) {
    return touched_by(c.how, r, c.sides.from[side], c.sides.to[side]);
  } else {
    return taps_of(c.how, r, c.sides.from[side], c.sides.to[side]);
  }
}

// A thread makes kCount columns of a row: a sum over all combinations of the sides' parts.
template <int kCount, class T, class Out, bool kAdjoint>
__global__ void resize_rows(const __grid_constant__ ResizeCall c) {
  const Divided at = divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.chunks);
  const int64_t row = at.quotient, column = at.rest * kCount;
  if (row >= c.rows) return;
  const bool before_grid = row < c.keep;
  decltype(parts_of<kAdjoint>(c, 0, 0)) parts[4];
  int64_t combinations = 1, rest = row - c.keep;
  for (int s = c.sides.count - 1; s >= 0 && !before_grid; --s) {
    const Divided side = divided(rest, kAdjoint ? c.sides.from[s] : c.sides.to[s]);
    parts[s] = parts_of<kAdjoint>(c, s, side.rest);
    rest = side.quotient, combinations *= parts[s].count;
  }
  double sum[kCount] = {};
  Compute<Out> made[kCount];
  Out* to = c.out.at<Out>(0) + row * c.out.last[0] + column * c.out.last[1];
  if constexpr (kAdjoint) {
    read<kCount>(to, c.out.last[1], made);
#pragma unroll
    for (int k = 0; k < kCount; ++k) sum[k] = static_cast<double>(made[k]);
  }
  for (int64_t n = 0; n < combinations; ++n) {
    int64_t from = before_grid ? row : 0, left = n;
    double weight = 1;
    int64_t chosen[4];
    for (int s = c.sides.count - 1; s >= 0 && !before_grid; --s) {
      const Divided choice = divided(left, parts[s].count);
      chosen[s] = choice.rest, left = choice.quotient;
    }
    for (int s = 0; s < c.sides.count && !before_grid; ++s) {
      from = from * (kAdjoint ? c.sides.to[s] : c.sides.from[s]) + parts[s].row(chosen[s]);
      weight *= parts[s].weight(chosen[s]);
    }
    if (!before_grid) from += c.keep;
    if (weight == 0) continue;
    Compute<T> x[kCount];
    read<kCount>(c.in.at<T>(0) + from * c.in.last[0] + column * c.in.last[1], c.in.last[1], x);
#pragma unroll
    for (int k = 0; k < kCount; ++k) sum[k] = fma(weight, static_cast<double>(x[k]), sum[k]);
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) made[k] = static_cast<Compute<Out>>(sum[k]);
  write<kCount>(to, c.out.last[1], made);
}

template <class T>
void run_as(const DeviceStream& stream, ResizeCall c, int64_t dim, bool adjoint) {
  constexpr int most = Pack<T>::size;
  const bool packs = !adjoint && dim % most == 0 && c.in.aligned(2) && c.out.aligned(2);
  if (packs) c.chunks = dim / most;
  const auto kernel = adjoint ? resize_rows<1, T, Compute<T>, true>
                      : packs ? resize_rows<most, T, T, false>
                              : resize_rows<1, T, T, false>;
  launch(stream, "resize", shape_of(c.rows * c.chunks, 128), kernel, c);
}

}  // namespace

void run(const ResizeOrder& order) {
  if (order.out.elements() == 0) return;
  const DeviceStream stream(order.out, order.stream);
  const int64_t dim = order.out.size(1);
  const ResizeCall c{View(order.in, 2), View(order.out, 2), order.out.size(0), order.keep, dim,
                     order.how,         order.sides};
  dispatch(order.in.dtype, [&]<class T>() { run_as<T>(stream, c, dim, order.adjoint); });
}

}  // namespace posenc::cuda
