// reorder.cu: features of heads in another order.
#include <algorithm>

#include "cuda/element_types.h"
#include "cuda/views.h"
#include "orders/orders.h"

namespace posenc::cuda {
namespace {

constexpr int64_t block_bytes = 32 * 1024;  // of a head, some columns of it
constexpr unsigned threads = 256;

struct ReorderCall {
  const void* in;
  void* out;
  int64_t in_row, in_column, out_row, out_column;  // steps, in units
  int64_t rows, columns, dim;
  Reordering how;
  int64_t width, chunks;  // columns of a block, and how often they fit
};

// A thread moves one unit.
template <class Unit>
__global__ void reorder(const __grid_constant__ ReorderCall c) {
  const Divided at =
      divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.columns);
  const int64_t row = at.quotient, column = at.rest;
  if (row >= c.rows) return;
  const int64_t f = divided(row, c.dim).rest, from = row - f + c.how.source(f);
  static_cast<Unit*>(c.out)[row * c.out_row + column * c.out_column] =
      static_cast<const Unit*>(c.in)[from * c.in_row + column * c.in_column];
}

// A block reads some columns of a head before it writes them, so that out may be the weight.
template <class Unit>
__global__ void reorder_in_place(const __grid_constant__ ReorderCall c) {
  __shared__ Unit head[block_bytes / static_cast<int64_t>(sizeof(Unit))];
  const Divided at = divided(blockIdx.x, c.chunks);
  const int64_t row = at.quotient * c.dim, first = at.rest * c.width;
  const int64_t width = min(c.width, c.columns - first);
  for (int64_t i = threadIdx.x; i < c.dim * width; i += threads) {
    const Divided p = divided(i, width);
    head[i] = static_cast<const Unit*>(
        c.in)[(row + p.quotient) * c.in_row + (first + p.rest) * c.in_column];
  }
  __syncthreads();
  for (int64_t i = threadIdx.x; i < c.dim * width; i += threads) {
    const Divided p = divided(i, width);
    static_cast<Unit*>(c.out)[(row + p.quotient) * c.out_row + (first + p.rest) * c.out_column] =
        head[c.how.source(p.quotient) * width + p.rest];
  }
}

template <class Unit>
void reorder_as(const DeviceStream& stream, ReorderCall c) {
  constexpr auto size = static_cast<int64_t>(sizeof(Unit));
  if (c.in != c.out)
    return launch(stream, "reorder", shape_of(c.rows * c.columns, threads), reorder<Unit>, c);
  c.width = std::clamp<int64_t>(block_bytes / size / c.dim, 0, std::min<int64_t>(c.columns, 32));
  if (c.width > 0) {
    c.chunks = pieces(c.columns, c.width);
    const auto blocks = static_cast<unsigned>(c.rows / c.dim * c.chunks);
    return launch(stream, "reorder", {dim3(blocks), threads}, reorder_in_place<Unit>, c);
  }
  // A head too large for a block: to other memory, and back as it is.
  const Temporary<Unit> other(stream, c.rows * c.columns);
  ReorderCall back = c;
  c.out = other.data(), c.out_row = c.columns, c.out_column = 1;
  back.in = other.data(), back.in_row = c.columns, back.in_column = 1, back.how = {};
  reorder_as<Unit>(stream, c), reorder_as<Unit>(stream, back);
}

}  // namespace

void run(const ReorderOrder& order) {
  const Tensor &w = order.weight, &out = order.out;
  if (out.elements() == 0) return;
  const DeviceStream stream(out, order.stream);
  const bool two = w.rank == 2;
  ReorderCall c{};
  c.in = w.data, c.out = out.data, c.dim = order.dim, c.how = order.how;
  c.rows = w.size(0), c.columns = two ? w.size(1) : 1;
  c.in_row = w.step(0), c.in_column = two ? w.step(1) : 0;
  c.out_row = out.step(0), c.out_column = two ? out.step(1) : 0;
  const int64_t size = size_of(w.dtype), pack = 16 / size;
  if (two && c.columns % pack == 0 && View(w, 2).aligned(2) && View(out, 2).aligned(2)) {
    c.columns /= pack, c.in_row /= pack, c.out_row /= pack;
    return reorder_as<uint4>(stream, c);
  }
  if (size == 2) return reorder_as<uint16_t>(stream, c);
  size == 4 ? reorder_as<uint32_t>(stream, c) : reorder_as<uint64_t>(stream, c);
}

}  // namespace posenc::cuda
