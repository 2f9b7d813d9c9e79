// sort.cu: tokens in the order of the rows they read; those of a row stay in their order.
#include <bit>

#include "cuda/scatter.h"

namespace posenc::cuda {
namespace {

constexpr int warps = 8, threads = 32 * warps, items = 8;
constexpr int64_t tile = threads * items;  // tokens of a block
constexpr int most_bits = 10, most_bins = 1 << most_bits;

// One pass: by `bits` bits of the keys, from `shift` on.
struct PassCall {
  RowKeys of;  // the first pass; later ones read
  const uint32_t *keys, *order;
  uint32_t *sorted_keys, *sorted;
  int64_t count, tiles;
  int shift, bins;
  uint32_t *counts, *totals;  // [bins, tiles] and [bins]

  __device__ uint32_t key(int64_t n) const { return keys ? keys[n] : of(n); }
  __device__ uint32_t bin(uint32_t key, int more = 0) const {
    return key >> (shift + more) & static_cast<uint32_t>(bins - 1);
  }
};

// How many keys of a tile each bin has.
__global__ void count_bins(const __grid_constant__ PassCall c) {
  __shared__ uint32_t count[most_bins];
  for (int b = static_cast<int>(threadIdx.x); b < c.bins; b += threads) count[b] = 0;
  __syncthreads();
  const int64_t first = blockIdx.x * tile, end = min(first + tile, c.count);
  for (int64_t n = first + threadIdx.x; n < end; n += threads)
    atomicAdd(&count[c.bin(c.key(n))], 1u);
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < c.bins; b += threads)
    c.counts[b * c.tiles + blockIdx.x] = count[b];
}

// A warp turns the counts of a bin into how many there are in tiles before.
__global__ void sum_tiles(const __grid_constant__ PassCall c) {
  const int64_t bin = blockIdx.x * static_cast<int64_t>(warps) + threadIdx.x / 32;
  if (bin >= c.bins) return;
  const int lane = static_cast<int>(threadIdx.x % 32);
  uint32_t before = 0;
  for (int64_t first = 0; first < c.tiles; first += 32) {
    const int64_t t = first + lane;
    const uint32_t mine = t < c.tiles ? c.counts[bin * c.tiles + t] : 0;
    uint32_t sum = mine;
    for (int step = 1; step < 32; step *= 2) {
      const uint32_t other = __shfl_up_sync(~0u, sum, static_cast<unsigned>(step));
      if (lane >= step) sum += other;
    }
    if (t < c.tiles) c.counts[bin * c.tiles + t] = before + sum - mine;
    before += __shfl_sync(~0u, sum, 31);
  }
  if (lane == 0) c.totals[bin] = before;
}

// The sum over the threads of a block before this one.
__device__ uint32_t sum_before(uint32_t mine) {
  __shared__ uint32_t sums[threads];
  const int t = static_cast<int>(threadIdx.x);
  sums[t] = mine;
  for (int step = 1; step < threads; step *= 2) {
    __syncthreads();
    const uint32_t other = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += other;
  }
  return sums[t] - mine;
}

constexpr int each = most_bins / threads;  // bins of a thread
using Counts = uint32_t[warps][most_bins];

__device__ void clear(Counts& count, int bins) {
  for (int b = static_cast<int>(threadIdx.x); b < bins; b += threads)
    for (int w = 0; w < warps; ++w) count[w][b] = 0;
  __syncthreads();
}

// How many keys of each bin a warp has, and how many of them before each of a thread's keys. A warp
// takes 32 neighbours at a time, so that those of a bin stay in their order.
__device__ void rank_keys(const PassCall& c, int more, int64_t first, const uint32_t* key,
                          uint32_t* rank, Counts& count) {
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const bool exists = first + j * 32 < c.count;
    const uint32_t bin = exists ? c.bin(key[j], more) : most_bins;
    const unsigned alike = __match_any_sync(~0u, bin);
    const int before = __popc(alike & ((1u << lane) - 1));
    rank[j] = exists ? count[warp][bin] + static_cast<uint32_t>(before) : 0;
    __syncwarp();
    if (exists && before == 0) count[warp][bin] += static_cast<uint32_t>(__popc(alike));
    __syncwarp();
  }
  __syncthreads();
}

// Counts of the warps, one after the other from `at` on, as where their keys go.
__device__ uint32_t place_warps(Counts& count, int bin, uint32_t at) {
  for (int w = 0; w < warps; ++w) {
    const uint32_t here = count[w][bin];
    count[w][bin] = at, at += here;
  }
  return at;
}

// A tile's tokens to their places: after all smaller keys, and those of tiles before.
__global__ void move_tokens(const __grid_constant__ PassCall c) {
  __shared__ Counts count;
  clear(count, c.bins);
  const int64_t first = blockIdx.x * tile + threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
  uint32_t key[items], rank[items];
#pragma unroll
  for (int j = 0; j < items; ++j) key[j] = first + j * 32 < c.count ? c.key(first + j * 32) : 0;
  rank_keys(c, 0, first, key, rank, count);
  const int bin = static_cast<int>(threadIdx.x) * each, end = min(bin + each, c.bins);
  uint32_t mine = 0;
  for (int b = bin; b < end; ++b) mine += c.totals[b];
  uint32_t before = sum_before(mine);
  for (int b = bin; b < end; ++b) {
    place_warps(count, b, before + c.counts[b * c.tiles + blockIdx.x]);
    before += c.totals[b];
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int64_t n = first + j * 32;
    if (n >= c.count) break;
    const uint32_t to = count[threadIdx.x / 32][c.bin(key[j])] + rank[j];
    c.sorted_keys[to] = key[j], c.sorted[to] = c.order ? c.order[n] : static_cast<uint32_t>(n);
  }
}

// All passes for tokens that are one tile.
__global__ void sort_tile(const __grid_constant__ PassCall c, int passes, int bits) {
  __shared__ Counts count;
  __shared__ uint32_t keys[tile];
  __shared__ uint16_t order[tile];
  const int64_t first = threadIdx.x / 32 * 32 * items + threadIdx.x % 32;
  uint32_t key[items], rank[items], token[items];
  for (int more = 0; more < passes * bits; more += bits) {
    clear(count, c.bins);
#pragma unroll
    for (int j = 0; j < items; ++j) {
      const int64_t n = first + j * 32;
      if (n >= c.count) break;
      key[j] = more == 0 ? c.of(n) : keys[n];
      token[j] = more == 0 ? static_cast<uint32_t>(n) : order[n];
    }
    rank_keys(c, more, first, key, rank, count);
    const int bin = static_cast<int>(threadIdx.x) * each, end = min(bin + each, c.bins);
    uint32_t mine = 0;
    for (int b = bin; b < end; ++b)
      for (int w = 0; w < warps; ++w) mine += count[w][b];
    uint32_t at = sum_before(mine);
    for (int b = bin; b < end; ++b) at = place_warps(count, b, at);
    __syncthreads();
#pragma unroll
    for (int j = 0; j < items; ++j) {
      if (first + j * 32 >= c.count) break;
      const uint32_t to = count[threadIdx.x / 32][c.bin(key[j], more)] + rank[j];
      keys[to] = key[j], order[to] = static_cast<uint16_t>(token[j]);
    }
    __syncthreads();
  }
  for (int64_t n = threadIdx.x; n < c.count; n += threads)
    c.sorted_keys[n] = keys[n], c.sorted[n] = order[n];
}

}  // namespace

void sort_tokens(const DeviceStream& stream, const RowKeys& of, uint32_t* keys, uint32_t* order) {
  const auto width = static_cast<int>(std::bit_width(static_cast<uint64_t>(of.rows)));
  const int passes = (width + most_bits - 1) / most_bits, bits = (width + passes - 1) / passes;
  PassCall c{};
  c.of = of, c.count = of.count, c.tiles = pieces(of.count, tile), c.bins = 1 << bits;
  c.sorted_keys = keys, c.sorted = order;
  if (c.tiles == 1)
    return launch(stream, "sorting of tokens", {dim3(1), threads}, sort_tile, c, passes, bits);
  const Temporary<uint32_t> memory(stream, 2 * of.count + c.bins * (c.tiles + 1));
  c.counts = memory.data() + 2 * of.count, c.totals = c.counts + c.bins * c.tiles;
  const Shape by_tile{dim3(static_cast<unsigned>(c.tiles)), threads},
      by_bin{dim3(static_cast<unsigned>(pieces(c.bins, warps))), threads};
  for (int pass = 0; pass < passes; ++pass, c.shift += bits) {
    const bool last = (passes - pass) % 2 == 1;  // the last pass writes what is asked for
    c.sorted_keys = last ? keys : memory.data();
    c.sorted = last ? order : memory.data() + of.count;
    launch(stream, "counts of keys", by_tile, count_bins, c);
    launch(stream, "sums of counts", by_bin, sum_tiles, c);
    launch(stream, "sorting of tokens", by_tile, move_tokens, c);
    c.keys = c.sorted_keys, c.order = c.sorted;
  }
}

}  // namespace posenc::cuda
