// bias_weights.cu: what the gradients of biases say about a form's weights.
//
// A block takes some items, entries of a profile or pairs, one after the other, and has sums of its
// own; each of them belongs to one of its threads. Then the sums of all blocks are added up.
#include "base/dispatch.h"
#include "cuda/bias_gradient.h"
#include "cuda/bias_items.h"

namespace posenc::cuda {
namespace {

constexpr unsigned most_threads = 128;
constexpr int64_t most_bytes = int64_t{64} << 20;  // of sums

template <class Form>
__global__ void __launch_bounds__(most_threads)
    add_items(const __grid_constant__ ItemCall c, const __grid_constant__ Form form) {
  constexpr bool shares = std::is_same_v<Form, forms::RatioNetwork>;  // weights 0 and 1
  __shared__ ItemTile tile;
  double* sums = c.sums + blockIdx.x * c.weights;
  double* work = c.work + blockIdx.x * c.workspace;
  double shared[2] = {0, 0};
  const auto add = [&](int64_t n, double value) {
    if (shares && n == 0) {
      shared[0] += value;
    } else if (shares && n == 1) {
      shared[1] += value;
    } else {
      sums[n] += value;
    }
  };
  const int64_t first = blockIdx.x * c.items_each, end = min(first + c.items_each, c.items);
  for (int64_t head = 0; head < c.heads; head += tile_size) {
    const HeadRange heads{c.first_head + head, min(int64_t{tile_size}, c.heads - head)};
    for (int64_t item = first; item < end; item += tile_size) {
      __syncthreads();
      load_items(c, item, head, static_cast<int>(heads.count), tile);
      __syncthreads();
      const int count = static_cast<int>(min(int64_t{tile_size}, end - item));
      for (int i = 0; i < count; ++i)
        add_item(form, heads, c.at, pair_of<Form>(c, tile, item, i), tile.g[i], work, add);
    }
  }
  if constexpr (shares) {
    __shared__ double all[2][most_threads];
    all[0][threadIdx.x] = shared[0], all[1][threadIdx.x] = shared[1];
    __syncthreads();
    if (threadIdx.x < 2)
      for (unsigned t = 0; t < blockDim.x; ++t) sums[threadIdx.x] += all[threadIdx.x][t];
  }
}

// to += the sums of all blocks, for one of the weights.
template <class C>
__global__ void add_blocks(const __grid_constant__ View to, const double* sums, int64_t blocks,
                           int64_t weights) {
  const int64_t n = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (n >= to.rows) return;
  double sum = 0;
#pragma unroll 16
  for (int64_t b = 0; b < blocks; ++b) sum += sums[b * weights + n];
  reinterpret_cast<C*>(to.data)[to.offset(n)] += static_cast<C>(sum);
}

// Batch rows that share positions go together, as many as leave enough items.
int64_t divide(ItemCall& c, bool shared, int64_t enough) {
  c.at.rows_each = shared ? c.at.rows : 1;
  const auto items = [&] {
    c.at.groups = pieces(c.at.rows, c.at.rows_each);
    return c.at.groups * c.at.queries * c.at.keys;
  };
  while (c.at.rows_each > 1 && items() < enough * tile_size)
    c.at.rows_each = pieces(c.at.rows_each, 2);
  return items();
}

template <class Form>
int64_t units_of(const Form& form) {
  if constexpr (has_workspace<Form>) {
    return form.network.hidden;
  } else if constexpr (has_units<Form>) {
    return form.network.hidden.out;
  } else {
    return tile_size;
  }
}

}  // namespace

void add_weight_gradients(const DeviceStream& stream, const BiasGradientOrder& order,
                          const double* along) {
  const BiasSource& b = order.bias;
  const int64_t enough = int64_t{stream.processors()} * 16;
  ItemCall c{};
  c.along = along, c.first = b.range.first, c.at = PairPlaces(order.at, b);
  c.dout = View(order.dout, 3), c.first_head = b.first_head, c.heads = order.dout.size(-3);
  c.factor = b.factor;
  c.items = along ? b.range.count : divide(c, order.at.shared(), enough);
  for (const Tensor& t : order.dweights) c.weights += t.elements();
  const int64_t most = std::max<int64_t>(1, most_bytes / (8 * c.weights));
  const int64_t tiles = pieces(c.items, tile_size);
  c.items_each = pieces(tiles, std::min(enough, most)) * tile_size;
  const int64_t blocks = pieces(c.items, c.items_each);
  const Temporary<double> sums(stream, blocks * c.weights);
  c.sums = sums.data();
  check(cudaMemsetAsync(c.sums, 0, static_cast<size_t>(blocks * c.weights) * 8, stream.handle()),
        "cudaMemsetAsync");
  b.formula->visit(block_on(stream, *b.formula), [&]<class Form>(const Form& form) {
    c.workspace = workspace_of(form);
    const Temporary<double> work(stream, blocks * c.workspace);
    c.work = work.data();
    const int64_t units =
        std::min<int64_t>(most_threads, pieces(units_of(form), tile_size) * tile_size);
    launch(stream, "gradients of weights",
           {dim3(static_cast<unsigned>(blocks)), static_cast<unsigned>(units)}, add_items<Form>, c,
           form);
  });
  const double* from = sums.data();
  for (const Tensor& t : order.dweights) {
    dispatch_compute(t.dtype, [&]<class C>() {
      launch(stream, "gradients of weights", shape_of(t.elements(), 128), add_blocks<C>, View(t, 0),
             from, blocks, c.weights);
    });
    from += t.elements();
  }
}

}  // namespace posenc::cuda
