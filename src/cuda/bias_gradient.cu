// bias_gradient.cu: gradients of biases, summed along a profile where the call is one of ranges.
//
// Everything is summed in f64, numbers of 16 bits by eights in f32 before, in an order that depends
// on sizes and alignment alone.
#include "cuda/bias_gradient.h"

#include "base/dispatch.h"
#include "cuda/vectors.h"

namespace posenc::cuda {
namespace {

constexpr unsigned threads = 256, pack_threads = 64;
constexpr int together = 8;  // queries whose loads are under way at once

// A chunk is a stretch of queries of some batch rows. Its sums are [heads, width]: key k and query
// q, counted from the first of the stretch, belong to entry k - q + slack, or k.
struct AlongGradientCall {
  View dout;
  int64_t heads, queries, keys, rows;
  int64_t stretch, stretches, rows_each, chunks, slack, width, tiles;
  int64_t ahead;  // the position of query 0 less that of key 0
  bool slides, causal;
  double* parts;  // [chunks, heads, width]
};

// A thread has an entry: it goes down the queries, side by side with those of the next entries.
template <class T>
__global__ void __launch_bounds__(threads) sum_chunk(const __grid_constant__ AlongGradientCall c) {
  const Divided by_tile = divided(blockIdx.x, c.tiles);
  const Divided by_head = divided(by_tile.quotient, c.heads);
  const Divided by_stretch = divided(by_head.quotient, c.stretches);
  const int64_t head = by_head.rest, first_query = by_stretch.rest * c.stretch;
  const int64_t count = min(c.stretch, c.queries - first_query);
  const int64_t n = by_tile.rest * threads, slack = c.slack;
  const int64_t mine = n + threadIdx.x - slack;  // the key of query 0
  // The queries that have keys on this thread's entry, and on any of the block.
  const auto within = [&](int64_t q) { return static_cast<int>(max(int64_t{0}, min(count, q))); };
  int low = 0, high = within(count), first = 0, end = high;
  if (c.slides) {
    low = within(-mine), high = within(c.keys - mine);
    first = within(slack - n - threads + 1), end = within(c.keys - n + slack);
    if (c.causal && mine > first_query + c.ahead) high = low;
  } else if (c.causal) {
    low = within(mine - first_query - c.ahead);
  }
  if (n + threadIdx.x >= c.width) high = low;
  const int64_t step = c.dout.last[1] + (c.slides ? c.dout.last[2] : 0);
  const int64_t begin =
      head * c.dout.last[0] + first_query * c.dout.last[1] + mine * c.dout.last[2] + first * step;
  const int64_t last_row = min((by_stretch.quotient + 1) * c.rows_each, c.rows);
  double sum = 0;
  for (int64_t row = by_stretch.quotient * c.rows_each; row < last_row; ++row) {
    const T* from = c.dout.at<T>(row) + begin;
    for (int q = first; q < end; q += together) {
      T g[together];
#pragma unroll
      for (int j = 0; j < together; ++j, from += step)
        g[j] = q + j >= low && q + j < high ? *from : T{};
#pragma unroll
      for (int j = 0; j < together; ++j) sum += static_cast<double>(wide(g[j]));
    }
  }
  if (n + threadIdx.x < c.width)
    c.parts[(by_head.quotient * c.heads + head) * c.width + n + threadIdx.x] = sum;
}

// A thread goes down one diagonal of squares, `size` queries by a pack of keys, each read by as
// many loads as it has queries. A square lies on the diagonals of its thread and, below its own
// diagonal, on those of the thread before, which is why the last thread of a block has none of its
// own.
template <class T>
__global__ void __launch_bounds__(pack_threads)
    sum_chunk_of_packs(const __grid_constant__ AlongGradientCall c) {
  constexpr int size = Pack<T>::size, below = size - 1;
  using Part = std::conditional_t<sizeof(T) == 2, float, double>;
  __shared__ double of_next[pack_threads][below];
  const Divided by_tile = divided(blockIdx.x, c.tiles);
  const Divided by_head = divided(by_tile.quotient, c.heads);
  const Divided by_stretch = divided(by_head.quotient, c.stretches);
  const int64_t head = by_head.rest, first_query = by_stretch.rest * c.stretch;
  const int64_t count = min(c.stretch, c.queries - first_query);
  const int64_t n = (by_tile.rest * (pack_threads - 1) + threadIdx.x) * size;
  const int64_t mine = n - c.slack;                                     // the key of query 0
  const int64_t last_seen = c.causal ? first_query + c.ahead : c.keys;  // the last diagonal that is
  const auto within = [&](int64_t square) {
    return max(int64_t{0}, min((count + below) / size, square));
  };
  const int64_t first = within(-mine / size),
                end = mine - below > last_seen ? first : within((c.keys - mine) / size);
  const int64_t begin = head * c.dout.last[0] + first_query * c.dout.last[1] + mine;
  const int64_t last_row = min((by_stretch.quotient + 1) * c.rows_each, c.rows);
  double sums[size + below] = {};
  for (int64_t row = by_stretch.quotient * c.rows_each; row < last_row; ++row) {
    const T* from = c.dout.at<T>(row) + begin + first * size * (c.dout.last[1] + 1);
    for (int64_t square = first; square < end; ++square) {
      Pack<T> g[size];
#pragma unroll
      for (int q = 0; q < size; ++q, from += c.dout.last[1]) {
        g[q].all = uint4{};
        if (square * size + q < count) g[q] = load_pack(from);
      }
      from += size;
      Part parts[size + below] = {};
#pragma unroll
      for (int q = 0; q < size; ++q) {
        Compute<T> x[size];
        unpack(g[q], x);
#pragma unroll
        for (int k = 0; k < size; ++k) parts[k - q + below] += x[k];
      }
#pragma unroll
      for (int i = 0; i < size + below; ++i) sums[i] += static_cast<double>(parts[i]);
    }
  }
#pragma unroll
  for (int i = 0; i < below; ++i) of_next[threadIdx.x][i] = sums[i];
  __syncthreads();
  if (threadIdx.x == pack_threads - 1) return;
  double* to = c.parts + (by_head.quotient * c.heads + head) * c.width + n;
#pragma unroll
  for (int i = 0; i < size; ++i) {
    double sum = sums[below + i];
    if (i > 0) sum += of_next[threadIdx.x + 1][i - 1];
    if (n + i < c.width) to[i] = mine + i > last_seen ? 0 : sum;
  }
}

// The sums of all chunks, one after the other.
__global__ void add_chunks(const __grid_constant__ AlongGradientCall c, int64_t entries,
                           double* sums) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= c.heads * entries) return;
  const Divided item = divided(i, entries);
  const double* from = c.parts + item.quotient * c.width;
  double sum = 0;
  for (int64_t chunk = 0; chunk < c.chunks; ++chunk) {
    const int64_t query = chunk % c.stretches * c.stretch;
    const int64_t n = c.slides ? item.rest - (c.queries - 1) + query + c.slack : item.rest;
    if (n >= 0 && n < c.width) sum += from[chunk * c.heads * c.width + n];
  }
  sums[i] = sum;
}

// As much a block as leaves enough of them. A thread has `size` entries.
int64_t divide(const DeviceStream& stream, int64_t size, AlongGradientCall& c) {
  const int64_t enough = int64_t{stream.processors()} * (size > 1 ? 16 : 32);
  const int64_t tile = size > 1 ? (pack_threads - 1) * size : threads;
  c.rows_each = c.rows, c.stretch = std::min<int64_t>(c.queries, 256);
  const auto blocks = [&] {
    c.slack = c.slides ? pieces(c.stretch - 1, size) * size : 0;
    c.width = c.keys + c.slack, c.tiles = pieces(c.width, tile);
    c.stretches = pieces(c.queries, c.stretch);
    c.chunks = c.stretches * pieces(c.rows, c.rows_each);
    return c.tiles * c.heads * c.chunks;
  };
  while (blocks() < enough && c.rows_each > 1) c.rows_each = pieces(c.rows_each, 2);
  while (blocks() < enough && c.stretch > 16) c.stretch = pieces(c.stretch, 2);
  return blocks();
}

}  // namespace

void sum_along(const DeviceStream& stream, const BiasGradientOrder& order, double* sums) {
  const ScorePlaces& at = order.at;
  AlongGradientCall c{};
  c.dout = View(order.dout, 3), c.heads = order.dout.size(-3);
  c.queries = at.queries.tokens, c.keys = at.keys.tokens, c.rows = at.rows;
  c.ahead = at.queries.at.first - at.keys.at.first;
  c.slides = order.bias.reads == Reads::distance, c.causal = at.causal;
  const int64_t size = 16 / size_of(order.dout.dtype);
  const bool packs = c.slides && c.keys % size == 0 && c.dout.aligned(3);
  const int64_t blocks = divide(stream, packs ? size : 1, c), entries = order.bias.range.count;
  if (blocks > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", blocks);
  const Temporary<double> parts(stream, c.chunks * c.heads * c.width);
  c.parts = parts.data();
  dispatch(order.dout.dtype, [&]<class T>() {
    const Shape shape{dim3(static_cast<unsigned>(blocks)), packs ? pack_threads : threads};
    launch(stream, "gradients along a profile", shape, packs ? sum_chunk_of_packs<T> : sum_chunk<T>,
           c);
  });
  launch(stream, "gradients along a profile", shape_of(c.heads * entries, 128), add_chunks, c,
         entries, sums);
}

void run(const BiasGradientOrder& order) {
  const DeviceStream stream(order.dout, order.stream);
  const ScorePlaces& at = order.at;
  const Reads reads = order.bias.reads;
  const bool along = at.queries.at.is_range() && at.keys.at.is_range() &&
                     (reads == Reads::distance || reads == Reads::key);
  if (!along) return add_weight_gradients(stream, order, nullptr);
  const Temporary<double> sums(stream, order.dout.size(-3) * order.bias.range.count);
  sum_along(stream, order, sums.data());
  add_weight_gradients(stream, order, sums.data());
}

}  // namespace posenc::cuda
