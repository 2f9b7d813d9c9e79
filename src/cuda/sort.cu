// sort.cu: tokens in the order of the rows they read: a radix sort, stable, so that the order of
// the tokens of a row is always the same.
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
  __device__ uint32_t bin(uint32_t key) const {
    return key >> shift & static_cast<uint32_t>(bins - 1);
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

// Where the keys of each bin begin that are in this tile: after all smaller ones.
__device__ void find_bases(const PassCall& c, uint32_t* base) {
  constexpr int each = most_bins / threads;
  __shared__ uint32_t sums[threads];
  const int t = static_cast<int>(threadIdx.x);
  uint32_t mine = 0;
  for (int b = t * each; b < (t + 1) * each; ++b) mine += b < c.bins ? c.totals[b] : 0;
  sums[t] = mine;
  for (int step = 1; step < threads; step *= 2) {
    __syncthreads();
    const uint32_t other = t >= step ? sums[t - step] : 0;
    __syncthreads();
    sums[t] += other;
  }
  uint32_t before = sums[t] - mine;
  for (int b = t * each; b < min((t + 1) * each, c.bins); ++b) {
    base[b] = before + c.counts[b * c.tiles + blockIdx.x];
    before += c.totals[b];
  }
}

// A tile's tokens to their places. A warp takes 32 neighbours at a time, so that those of a bin
// stay in their order.
__global__ void move_tokens(const __grid_constant__ PassCall c) {
  __shared__ uint32_t count[warps][most_bins];  // of keys a warp has seen
  __shared__ uint32_t base[most_bins];
  const int warp = static_cast<int>(threadIdx.x / 32), lane = static_cast<int>(threadIdx.x % 32);
  for (int b = static_cast<int>(threadIdx.x); b < c.bins; b += threads)
    for (int w = 0; w < warps; ++w) count[w][b] = 0;
  find_bases(c, base);
  __syncthreads();
  const int64_t first = blockIdx.x * tile + warp * 32 * items + lane;
  uint32_t key[items], rank[items];
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int64_t n = first + j * 32;
    key[j] = n < c.count ? c.key(n) : 0;
    const uint32_t bin = n < c.count ? c.bin(key[j]) : most_bins;
    const unsigned alike = __match_any_sync(~0u, bin);
    const int before = __popc(alike & ((1u << lane) - 1));
    if (bin < most_bins) rank[j] = count[warp][bin] + static_cast<uint32_t>(before);
    __syncwarp();
    if (bin < most_bins && before == 0) count[warp][bin] += static_cast<uint32_t>(__popc(alike));
    __syncwarp();
  }
  __syncthreads();
  for (int b = static_cast<int>(threadIdx.x); b < c.bins; b += threads) {
    uint32_t at = base[b];
    for (int w = 0; w < warps; ++w) {
      const uint32_t here = count[w][b];
      count[w][b] = at, at += here;
    }
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < items; ++j) {
    const int64_t n = first + j * 32;
    if (n >= c.count) break;
    const uint32_t to = count[warp][c.bin(key[j])] + rank[j];
    c.sorted_keys[to] = key[j], c.sorted[to] = c.order ? c.order[n] : static_cast<uint32_t>(n);
  }
}

}  // namespace

void sort_tokens(const Place& place, const RowKeys& of, uint32_t* keys, uint32_t* order) {
  const int width = static_cast<int>(std::bit_width(static_cast<uint64_t>(of.rows)));
  const int passes = (width + most_bits - 1) / most_bits, bits = (width + passes - 1) / passes;
  PassCall c{};
  c.of = of, c.count = of.count, c.tiles = pieces(of.count, tile), c.bins = 1 << bits;
  const Temporary<uint32_t> others(place, 2 * of.count), counts(place, c.bins * (c.tiles + 1));
  c.counts = counts.data(), c.totals = c.counts + c.bins * c.tiles;
  const auto tiles = static_cast<unsigned>(c.tiles);
  for (int pass = 0; pass < passes; ++pass) {
    const bool last = (passes - pass) % 2 == 1;  // the last pass writes what is asked for
    c.shift = pass * bits;
    c.sorted_keys = last ? keys : others.data(), c.sorted = last ? order : others.data() + of.count;
    launch(place, "keys counted", {dim3(tiles), threads}, count_bins, c);
    launch(place, "counts summed", {dim3(static_cast<unsigned>(pieces(c.bins, warps))), threads},
           sum_tiles, c);
    launch(place, "tokens sorted", {dim3(tiles), threads}, move_tokens, c);
    c.keys = c.sorted_keys, c.order = c.sorted;
  }
}

}  // namespace posenc::cuda
