// table_gradient.cu: the gradient of a trained table.
//
// Batch rows that share their places are summed first; what is left is one row for each place. The
// rows of a range are those of the table, one after the other; others are scattered.
#include "cuda/table_gradient.h"

#include <algorithm>

#include "base/dispatch.h"
#include "cuda/rows.h"
#include "cuda/scatter.h"
#include "cuda/vectors.h"

namespace posenc::cuda {
namespace {

// Batch rows whose loads are under way at once.
template <class T>
constexpr int together = sizeof(T) == 2 ? 8 : 4;
constexpr int64_t enough = int64_t{1} << 18;  // threads
constexpr int64_t least_group = 8;            // batch rows of a sum of its own

struct BatchSumCall {
  View in;  // [..., tokens, dim]
  SumRows out;
  int64_t tokens, chunks, batch;
  int64_t group, group_step;  // batch rows of a sum, and how far apart such sums lie
  int64_t skipped;            // a token that is left out
};

// A thread sums kCount columns of a token over a group of batch rows.
template <int kCount, class T>
__global__ void sum_batch(const __grid_constant__ BatchSumCall c) {
  using C = Compute<T>;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided item = divided(i, c.chunks);
  const int64_t token = item.quotient, column = item.rest * kCount;
  if (token >= c.tokens || token == c.skipped) return;
  const int64_t first = blockIdx.y * c.group, end = min(first + c.group, c.batch);
  C sum[kCount] = {};
  for (int64_t r = first; r < end; r += together<T>) {
    Numbers<kCount, T> x[together<T>];
#pragma unroll
    for (int j = 0; j < together<T>; ++j)
      if (r + j < end)
        x[j] =
            load_numbers<kCount>(c.in.at<T>(r + j) + token * c.in.last[0] + column * c.in.last[1]);
#pragma unroll
    for (int j = 0; j < together<T>; ++j) {
      if (r + j >= end) break;
#pragma unroll
      for (int k = 0; k < kCount; ++k) sum[k] += wide(x[j].of[k]);
    }
  }
  SumRows out = c.out;
  out.data += blockIdx.y * c.group_step * static_cast<int64_t>(sizeof(C));
  out.add<kCount>(token, column, sum);
}

// out[token] += the sum over all batch rows; over groups of them first, where there are too few
// tokens to go round. How they are cut depends on the shape alone.
template <class T>
void sum_batches(const DeviceStream& stream, const Tensor& dout, SumRows out, int64_t skipped) {
  using C = Compute<T>;
  constexpr int most = Pack<T>::size;
  const int64_t tokens = dout.size(-2), dim = dout.size(-1);
  BatchSumCall c{View(dout, 2), out, tokens, dim, 0, 0, 0, skipped};
  const bool packs = dim % most == 0 && c.in.aligned(2) && out.aligned<C>();
  if (packs) c.chunks = dim / most;
  c.batch = c.in.rows;
  const int64_t units = tokens * c.chunks;
  const int64_t wanted = std::min<int64_t>({pieces(enough, units), c.batch / least_group, 65535});
  c.group = pieces(c.batch, std::max<int64_t>(wanted, 1));
  const int64_t groups = pieces(c.batch, c.group);
  const auto launch_sum = [&] {
    launch(stream, "sums of batch rows", shape_of(units, 128, static_cast<unsigned>(groups)),
           packs ? sum_batch<most, T> : sum_batch<1, T>, c);
  };
  if (groups == 1) return launch_sum();
  const Temporary<C> parts(stream, groups * tokens * dim);
  c.out = SumRows(tensor(parts.data(), {tokens, dim}), 1), c.out.adds = false;
  c.group_step = tokens * dim;
  launch_sum();
  sum_batches<C>(stream, tensor(parts.data(), {groups, tokens, dim}), out, skipped);
}

// ---- a learned factor on all rows -------------------------------------------------------------

constexpr int64_t alpha_blocks = 1024;

struct AlphaCall {
  DeviceRows rows;
  DevicePlaces at;
  View dout;
  int64_t tokens = 0, chunks = 0, places = 0;
  double* parts = nullptr;
};

template <int kCount, class T>
__global__ void sum_products(const __grid_constant__ AlphaCall c) {
  const int64_t items = c.places * c.chunks, step = gridDim.x * static_cast<int64_t>(sum_threads);
  double sum = 0;
  for (int64_t i = blockIdx.x * static_cast<int64_t>(sum_threads) + threadIdx.x; i < items;
       i += step) {
    const Divided at = divided(i, c.chunks), item = divided(at.quotient, c.tokens);
    const int64_t column = at.rest * kCount, row = item.quotient, token = item.rest;
    const int64_t which = c.at.integer(0, row, token) + c.rows.offset;
    if (which < 0 || which >= c.rows.table_rows) continue;
    Compute<T> g[kCount];
    read<kCount>(c.dout.at<T>(row) + token * c.dout.last[0] + column * c.dout.last[1],
                 c.dout.last[1], g);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      sum = fma(static_cast<double>(g[k]), c.rows.table_value<double>(which, column + k), sum);
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) c.parts[blockIdx.x] = sum;
}

// By one warp.
__global__ void add_parts(const double* parts, int64_t count, DeviceSum to) {
  double sum = 0;
  for (int64_t i = threadIdx.x; i < count; i += 32) sum += parts[i];
  sum = warp_sum(sum);
  if (threadIdx.x == 0) to.add(0, sum);
}

// d(alpha): the sum of dout * fixed * table[row].
template <class T>
void add_alpha_gradient(const DeviceStream& stream, const RowGradientOrder& order) {
  constexpr int most = Pack<T>::size;
  const int64_t dim = order.dout.size(-1);
  AlphaCall c{rows_on(stream, order.rows), DevicePlaces(order.at), View(order.dout, 2)};
  c.rows.factor = order.rows.table->fixed;
  const bool packs = dim % most == 0 && c.dout.aligned(2);
  c.tokens = order.at.tokens, c.chunks = packs ? dim / most : dim;
  c.places = c.dout.rows * c.tokens;
  const int64_t blocks = std::min(alpha_blocks, pieces(c.places * c.chunks, sum_threads));
  const Temporary<double> parts(stream, blocks);
  c.parts = parts.data();
  launch(stream, "products of rows", {dim3(static_cast<unsigned>(blocks)), sum_threads},
         packs ? sum_products<most, T> : sum_products<1, T>, c);
  launch(stream, "sums of products", {dim3(1), 32}, add_parts, c.parts, blocks,
         DeviceSum(order.dweights[1]));
}

template <class T>
void add_rows_gradient(const DeviceStream& stream, const RowGradientOrder& order) {
  const Table& table = *order.rows.table;
  const Tensor &dout = order.dout, &to = order.dweights[0];
  const int64_t tokens = order.at.tokens, dim = dout.size(-1), padding = table.padding.value_or(-1);
  SumRows out(to, table.factor);
  if (order.at.at.is_range()) {
    const int64_t first = order.at.at.first + table.offset;
    out.data += first * out.row * static_cast<int64_t>(sizeof(Compute<T>));
    return sum_batches<T>(stream, dout, out, padding - first);
  }
  RowKeys keys;
  keys.by_place = true, keys.at = DevicePlaces(order.at), keys.tokens = tokens;
  keys.offset = table.offset, keys.skipped = padding, keys.rows = to.size(0);
  keys.count = dout.elements() / dim;
  if (!order.at.shared() || keys.count == tokens) return scatter(stream, keys, dout, out);
  const Temporary<Compute<T>> sums(stream, tokens * dim);
  const Tensor summed = tensor(sums.data(), {tokens, dim});
  SumRows between(summed, 1);
  between.adds = false, keys.count = tokens;
  sum_batches<T>(stream, dout, between, -1);
  scatter(stream, keys, summed, out);
}

}  // namespace

void add_table_gradient(const DeviceStream& stream, const RowGradientOrder& order) {
  if (order.dout.elements() == 0) return;
  dispatch(order.dout.dtype, [&]<class T>() {
    add_rows_gradient<T>(stream, order);
    if (order.rows.table->learned_scale) add_alpha_gradient<T>(stream, order);
  });
}

}  // namespace posenc::cuda
