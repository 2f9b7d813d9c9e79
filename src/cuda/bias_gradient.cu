// bias_gradient.cu: gradients of biases, summed along a profile where the call is one of ranges.
//
// Everything is summed in f64 in an order that depends on sizes alone.
#include "cuda/bias_gradient.h"

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

constexpr int threads = 256;
constexpr int together = 8;  // queries whose loads are under way at once

// A chunk is a stretch of queries of some batch rows. Its sums are [heads, width]: key k and query
// q, counted from the first of the stretch, belong to entry k - q + stretch - 1, or k.
struct AlongGradientCall {
  View dout;
  int64_t heads, queries, keys, rows;
  int64_t stretch, stretches, rows_each, chunks, width, tiles;
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
  const int64_t n = by_tile.rest * threads, slack = c.slides ? c.stretch - 1 : 0;
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

// The sums of all chunks, one after the other.
__global__ void add_chunks(const __grid_constant__ AlongGradientCall c, int64_t entries,
                           double* sums) {
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (i >= c.heads * entries) return;
  const Divided place = divided(i, entries);
  const double* from = c.parts + place.quotient * c.width;
  double sum = 0;
  for (int64_t chunk = 0; chunk < c.chunks; ++chunk) {
    const int64_t query = chunk % c.stretches * c.stretch;
    const int64_t n = c.slides ? place.rest - (c.queries - 1) + query + c.stretch - 1 : place.rest;
    if (n >= 0 && n < c.width) sum += from[chunk * c.heads * c.width + n];
  }
  sums[i] = sum;
}

// As much a block as leaves enough of them.
int64_t divide(const Place& place, AlongGradientCall& c) {
  const int64_t enough = int64_t{place.processors()} * 32;
  c.rows_each = c.rows, c.stretch = std::min<int64_t>(c.queries, 256);
  const auto blocks = [&] {
    c.width = c.slides ? c.keys + c.stretch - 1 : c.keys, c.tiles = pieces(c.width, threads);
    c.stretches = pieces(c.queries, c.stretch);
    c.chunks = c.stretches * pieces(c.rows, c.rows_each);
    return c.tiles * c.heads * c.chunks;
  };
  while (blocks() < enough && c.rows_each > 1) c.rows_each = pieces(c.rows_each, 2);
  while (blocks() < enough && c.stretch > 16) c.stretch = pieces(c.stretch, 2);
  return blocks();
}

}  // namespace

void sum_along(const Place& place, const BiasGradientOrder& order, double* sums) {
  const ScorePlaces& at = order.at;
  AlongGradientCall c{};
  c.dout = View(order.dout, 3), c.heads = order.dout.size(-3);
  c.queries = at.queries.tokens, c.keys = at.keys.tokens, c.rows = at.rows;
  c.ahead = at.queries.at.first - at.keys.at.first;
  c.slides = order.bias.reads == Reads::distance, c.causal = at.causal;
  const int64_t blocks = divide(place, c), entries = order.bias.range.count;
  if (blocks > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", blocks);
  const Temporary<double> parts(place, c.chunks * c.heads * c.width);
  c.parts = parts.data();
  dispatch(order.dout.dtype, [&]<class T>() {
    launch(place, "gradients along a profile", {dim3(static_cast<unsigned>(blocks)), threads},
           sum_chunk<T>, c);
  });
  launch(place, "gradients along a profile", shape_of(c.heads * entries, 128), add_chunks, c,
         entries, sums);
}

void run(const BiasGradientOrder& order) {
  const Place place(order.dout, order.stream);
  const ScorePlaces& at = order.at;
  const Reads reads = order.bias.reads;
  const bool along = at.queries.at.is_range() && at.keys.at.is_range() &&
                     (reads == Reads::distance || reads == Reads::key);
  if (!along) return add_weight_gradients(place, order, nullptr);
  const Temporary<double> sums(place, order.dout.size(-3) * order.bias.range.count);
  sum_along(place, order, sums.data());
  add_weight_gradients(place, order, sums.data());
}

}  // namespace posenc::cuda
