// bias_along.cu: biases of ranges of queries and keys, which lie along a profile.
#include "base/dispatch.h"
#include "cuda/bias.h"

namespace posenc::cuda {
namespace {

constexpr int threads = 128;
constexpr int together = 4;     // queries whose loads are under way at once
constexpr int most_each = 32;   // queries of a thread
constexpr int least_width = 4;  // threads side by side along the keys
constexpr int longest = 1088;   // stretch of a profile, at both ends of what widths there are

struct AlongCall {
  DeviceProfile profile;
  View scores, out;
  int64_t heads, queries, keys, rows;
  int64_t entry;  // of query 0 and key 0 on the profile
  int64_t ahead;  // the position of query 0 less that of key 0
  int64_t key_tiles, query_tiles, rows_each;
  int width, each, tile_queries;
  double scale;
  bool has_scores, causal;
};

// kCount numbers of a line, in packs where they are aligned.
template <int kCount, bool kAligned, class C>
__device__ void read_line(const C* line, C* out) {
  if constexpr (!kAligned) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = line[i];
  } else {
    constexpr int size = Pack<C>::size;
#pragma unroll
    for (int i = 0; i < kCount; i += size) {
      const Pack<C> v = load_pack(line + i);
#pragma unroll
      for (int j = 0; j < size; ++j) out[i + j] = v.of[j];
    }
  }
}

// Scores of a thread, as they lie in memory until they are needed.
template <class T>
struct One {
  T of[1];
};
template <int kCount, class T>
using Scores = std::conditional_t<kCount == 1, One<T>, Pack<T>>;
template <int kCount, class T>
__device__ Scores<kCount, T> load(const T* from) {
  if constexpr (kCount == 1) {
    return {*from};
  } else {
    return load_pack(from);
  }
}

// A block takes a tile of queries and keys of one head, in some batch rows. The stretch of the
// profile that it reads lies in its shared memory: key k of query q, both counted inside the tile,
// reads entry k - q + tile_queries - 1 of it, or k where kSlides is false. A thread has kCount keys
// of some queries; the biases of `together` of them overlap.
template <int kCount, bool kSlides, class T>
__global__ void __launch_bounds__(threads, 8) add_tile(const __grid_constant__ AlongCall c) {
  using C = Compute<T>;
  constexpr int window = kCount + (kSlides ? (kCount > 1 ? together : together - 1) : 0);
  alignas(16) __shared__ C line[longest];
  const Divided by_keys = divided(blockIdx.x, c.key_tiles);
  const Divided by_queries = divided(by_keys.quotient, c.query_tiles);
  const Divided by_heads = divided(by_queries.quotient, c.heads);
  const int64_t head = by_heads.rest, first_key = by_keys.rest * c.width * kCount;
  const int64_t first_query = by_queries.rest * c.tile_queries;
  const int slack = kSlides ? c.tile_queries - 1 : 0;
  const int64_t entry = c.entry + first_key - (kSlides ? first_query + slack : 0);
  wait_for_inputs();
  for (int i = static_cast<int>(threadIdx.x); i < c.width * kCount + slack; i += threads)
    line[i] =
        entry + i >= 0 && entry + i < c.profile.count ? c.profile.read<C>(head, entry + i) : C{0};
  __syncthreads();

  const int across = static_cast<int>(threadIdx.x) % c.width;
  const int down = static_cast<int>(threadIdx.x) / c.width * c.each;
  const int64_t key = first_key + across * kCount, query = first_query + down;
  if (key >= c.keys || query >= c.queries) return;
  const int count = static_cast<int>(min(static_cast<int64_t>(c.each), c.queries - query));
  const int64_t limit = 2 * kCount + most_each;  // beyond it nothing, or all, is hidden
  const int seen = static_cast<int>(max(-limit, min(limit, c.ahead + query - key)));
  const C* biases = line + across * kCount + (kSlides ? c.tile_queries - together - down : 0);
  const auto scale = static_cast<C>(c.scale);
  const auto inside = [&](const View& v) {
    return head * v.last[0] + query * v.last[1] + key * v.last[2];
  };
  const int64_t in_scores = inside(c.scores), in_out = inside(c.out);
  const auto end = static_cast<uint32_t>(min((by_heads.quotient + 1) * c.rows_each, c.rows));
  for (auto row = static_cast<uint32_t>(by_heads.quotient * c.rows_each); row < end; ++row) {
    const T* from = c.has_scores ? c.scores.at<T>(row) + in_scores : nullptr;
    T* to = c.out.at<T>(row) + in_out;
    for (int q = 0; q < count; q += together) {
      Scores<kCount, T> in[together];
      C bias[window];
#pragma unroll
      for (int j = 0; j < together; ++j)
        if (from && q + j < count && !(c.causal && seen + q + j < 0))
          in[j] = load<kCount>(from + j * c.scores.last[1]);
      read_line<window, (kCount > 1)>(biases - (kSlides ? q : 0), bias);
#pragma unroll
      for (int j = 0; j < together; ++j) {
        if (q + j >= count) break;
        C out[kCount];
#pragma unroll
        for (int i = 0; i < kCount; ++i) {
          const C b = bias[kSlides ? i + together - 1 - j : i];
          out[i] = from ? fma(scale, wide(in[j].of[i]), b) : b;
          if (c.causal && i > seen + q + j) out[i] = static_cast<C>(-INFINITY);
        }
        write<kCount>(to + j * c.out.last[1], c.out.last[2], out);
      }
      if (from) from += together * c.scores.last[1];
      to += together * c.out.last[1];
    }
  }
}

// How much a block takes: as many batch rows as leave enough blocks, and a few queries; many where
// 16-bit biases are only written, which is soon done beside reading their stretch of the profile.
template <int kCount>
int64_t divide(const DeviceStream& stream, AlongCall& c) {
  const int64_t enough = int64_t{stream.processors()} * 32;
  c.width = threads;
  while (c.width > least_width && c.width / 2 * kCount >= c.keys) c.width /= 2;
  c.key_tiles = pieces(c.keys, c.width * kCount);
  c.each = c.has_scores || kCount < 8 ? 8 : most_each, c.rows_each = c.rows;
  const auto blocks = [&] {
    c.tile_queries = threads / c.width * c.each, c.query_tiles = pieces(c.queries, c.tile_queries);
    return c.key_tiles * c.query_tiles * c.heads * pieces(c.rows, c.rows_each);
  };
  while (c.rows_each > 1 && blocks() < enough) c.rows_each = pieces(c.rows_each, 2);
  while (c.each > together && (blocks() < enough || c.each / 2 >= c.queries)) c.each /= 2;
  return blocks();
}

template <int kCount, class T>
void launch_tiles(const DeviceStream& stream, AlongCall& c, bool slides) {
  const int64_t blocks = divide<kCount>(stream, c);
  if (c.rows > UINT32_MAX) fail("cuda", "expected fewer than 2^32 batch rows, got ", c.rows);
  if (blocks > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", blocks);
  launch_early(stream, "biases along a profile", {dim3(static_cast<unsigned>(blocks)), threads},
               slides ? add_tile<kCount, true, T> : add_tile<kCount, false, T>, c);
}

}  // namespace

void add_along(const DeviceStream& stream, const BiasCall& call, const DeviceProfile& profile) {
  const ScorePlaces& at = call.at;
  const int64_t query = at.queries.at.first, key = at.keys.at.first;
  const bool slides = call.bias.reads == Reads::distance;
  AlongCall c{};
  c.profile = profile, c.out = View(call.out, 3), c.has_scores = call.scores;
  if (call.scores) c.scores = View(*call.scores, 3);
  c.heads = call.out.size(-3), c.queries = at.queries.tokens, c.keys = at.keys.tokens;
  c.rows = at.rows, c.scale = call.scale, c.causal = at.causal;
  c.entry = (slides ? key - query : key) - profile.first, c.ahead = query - key;
  dispatch(call.out.dtype, [&]<class T>() {
    constexpr int pack = Pack<T>::size;
    const bool packs =
        c.keys % pack == 0 && c.out.aligned(3) && (!c.has_scores || c.scores.aligned(3));
    packs ? launch_tiles<pack, T>(stream, c, slides) : launch_tiles<1, T>(stream, c, slides);
  });
}

}  // namespace posenc::cuda
