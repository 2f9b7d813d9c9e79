// rotate_into_scalar.cu: normalises, rotates and stores heads a number at a time: odd sizes, views
// of any strides, layouts that move features, rows for each head.
#include "base/dispatch.h"
#include "cuda/rotate_into.h"

namespace posenc::cuda {
namespace {

constexpr unsigned block_threads = 128;
constexpr int most_together = 8;  // pairs of a lane: 256 a head

// Where the numbers of pair k lie among the features of a head.
struct PairAt {
  int64_t a, b;
};
__device__ PairAt features_of(const RotateIntoCall& c, int64_t k, bool halves) {
  if (!halves) return {c.first + 2 * k, c.first + 2 * k + 1};
  const int64_t begin = c.first + k / c.block_pairs * c.block_pairs + k;
  return {begin, begin + c.block_pairs};
}

// A head that a warp works on.
template <class T>
struct Head {
  using C = Compute<T>;
  const RotateIntoCall& c;
  const RotateIntoSide& side;
  int64_t row, token, head;
  bool is_query, stores;
  Slot slot;
  C scale = 1, warmth = 1;

  __device__ C read(int64_t f) const {
    return wide(
        side.in.at<T>(row)[token * side.in.last[0] + head * side.in.last[1] + f * side.in.last[2]]);
  }
  // Normed.
  __device__ C find(int64_t f) const {
    const C x = read(f);
    if (!side.normed) return x;
    const C w = read_as<C>(side.weight_type, side.weights, f * side.weight_step);
    return x * scale * (c.plus.as<C>() + w);
  }
  __device__ void write(int64_t f, C x) const {
    if (side.writes)
      side.out.at<T>(
          row)[token * side.out.last[0] + head * side.out.last[1] + f * side.out.last[2]] =
          narrow<T>(x);
    if (stores)
      write_numbers<1>(c.k_cache.dtype, c.k_cache.data,
                       c.k_cache.at(slot, head) + f * c.k_cache.feature, &x);
  }
  __device__ void find_scale(int lane) {
    C sum = 0;
    for (int64_t f = lane; f < c.dim; f += 32) {
      const C x = read(f);
      sum = fma(x, x, sum);
    }
#pragma unroll
    for (int apart = 16; apart > 0; apart /= 2) sum += __shfl_xor_sync(~0u, sum, apart);
    scale = inverse_root(fma(sum, c.one_of_dim.as<C>(), c.epsilon.as<C>()));
  }
  // All pairs are read before any is written: they may move within the head.
  __device__ void rotate(int lane) const {
    C a[most_together], b[most_together];
#pragma unroll
    for (int j = 0; j < most_together; ++j) {
      const int64_t k = lane + 32 * j;
      if (k >= c.pairs) break;
      const PairAt from = features_of(c, k, c.halves_in);
      a[j] = find(from.a), b[j] = find(from.b);
      C cosine, sine;
      const int64_t row_head =
          c.row_heads > 1 ? (head - side.first) / (side.count / c.row_heads) : 0;
      c.angles.find<1>(row, token, row_head, k, &cosine, &sine);
      if (c.angles.adjusts) c.angles.adjust<1>(is_query, row, token, k, &cosine, &sine);
      cuda::turn(a[j], b[j], cosine, sine);
    }
    __syncwarp();
#pragma unroll
    for (int j = 0; j < most_together; ++j) {
      const int64_t k = lane + 32 * j;
      if (k >= c.pairs) break;
      const PairAt to = features_of(c, k, c.halves_out);
      write(to.a, a[j]), write(to.b, b[j]);
    }
  }
};

// A warp takes a head.
template <class T>
__global__ void __launch_bounds__(block_threads, 4)
    rotate_into_by_number(const __grid_constant__ RotateIntoCall c) {
  if (blockIdx.x >= c.head_blocks) return store_values<T>(c);
  const int64_t warp = (blockIdx.x * int64_t{block_threads} + threadIdx.x) / 32;
  const Divided by_head = divided(warp, c.q.heads + c.k.heads);
  if (by_head.quotient >= c.all_tokens) return;
  const Divided token = c.token_at(by_head.quotient);
  const bool is_query = by_head.rest < c.q.heads;
  const int lane = threadIdx.x % 32;
  Head<T> x{c,
            is_query ? c.q : c.k,
            token.quotient,
            token.rest,
            by_head.rest - (is_query ? 0 : c.q.heads),
            is_query,
            false,
            {}};
  wait_for_inputs();
  x.stores = !is_query && c.k_cache.given &&
             c.slots.find(c.slots.read(x.row, x.token), x.row, x.token, x.slot);
  if (x.side.normed) x.find_scale(lane);
  if (is_query && c.angles.magnitudes.has_temperature)
    x.warmth = static_cast<Compute<T>>(c.angles.passing(x.row, x.token));
  const bool turns = x.head >= x.side.first && x.head < x.side.first + x.side.count;
  if (turns) x.rotate(lane);
  const int64_t end = turns ? c.first + 2 * c.pairs : c.first;
  for (int64_t f = lane; f < c.dim; f += 32)
    if (f < c.first || f >= end) x.write(f, x.find(f) * x.warmth);
}

}  // namespace

void rotate_into_scalar(const DeviceStream& stream, RotateIntoCall& c, DType dtype) {
  const int64_t warps = c.all_tokens * (c.q.heads + c.k.heads);
  dispatch(dtype, [&]<class T>() {
    launch_rotate_into(stream, c, pieces(warps, block_threads / 32), block_threads,
                       rotate_into_by_number<T>);
  });
}

}  // namespace posenc::cuda
