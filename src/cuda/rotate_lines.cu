// rotate_lines.cu: heads whose halves are shorter than a line of 128 bytes.
//
// The threads of a warp take the packs of some heads as they lie in memory, so that lines are moved
// whole, and give each other what they turn with. Both threads of a pair of packs make half of its
// angles.
#include "base/dispatch.h"
#include "cuda/rotate_plain.h"

namespace posenc::cuda {
namespace {

constexpr unsigned line_threads = 64;

template <class T, int kHeads, bool kKept>
__global__ void __launch_bounds__(line_threads) turn_lines(const __grid_constant__ PlainCall c) {
  constexpr int count = Pack<T>::size, half = count / 2;
  constexpr unsigned all = 0xffffffffu;
  const int lane = static_cast<int>(threadIdx.x % 32), apart = c.packs / 2;
  const int local = lane / c.packs, pack = lane - local * c.packs;
  const bool second = pack >= apart, active = local < c.warp_heads;
  const int mate = !active ? lane : second ? lane - apart : lane + apart;
  const int64_t warp = (blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x) / 32;
  const Divided by_group = c.groups(warp);
  if (by_group.quotient >= c.all_tokens) return;  // the whole warp
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int head =
      (static_cast<int>(by_group.rest) - (is_query ? 0 : c.q.groups)) * kHeads * c.warp_heads +
      local;
  const Divided token = c.token(by_group.quotient);
  const T* from = c.input<T>(is_query, token, head) + pack * count;
  T* to = c.output<T>(is_query, token, head) + pack * count;
  wait_for_inputs();
  Pack<T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (active && head + h * c.warp_heads < side.count)
      x[h] = load_pack(from + h * static_cast<int64_t>(side.in_head) * c.warp_heads);
  const int64_t k = (second ? pack - apart : pack) * count, position = c.angles.position(token);
  float cosine[count], sine[count];
  if (!find_kept<kKept, count>(c.angles, position, k, cosine, sine)) {
    float mine[2][half];
    make_angles<half>(c.angles, position, active ? k + (second ? half : 0) : 0, mine[0], mine[1]);
#pragma unroll
    for (int i = 0; i < half; ++i) {
      const float other[2] = {__shfl_sync(all, mine[0][i], mate),
                              __shfl_sync(all, mine[1][i], mate)};
      cosine[i] = second ? other[0] : mine[0][i], sine[i] = second ? other[1] : mine[1][i];
      cosine[half + i] = second ? mine[0][i] : other[0];
      sine[half + i] = second ? mine[1][i] : other[1];
    }
  }
  const bool negative = c.back == second;  // a cos - b sin, or b cos + a sin; back the other way
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    Pack<T> y;
#pragma unroll
    for (int i = 0; i < 4; ++i) y.words[i] = __shfl_sync(all, x[h].words[i], mate);
    float turned[count];
#pragma unroll
    for (int i = 0; i < count; ++i)
      turned[i] = fmaf(wide(y.of[i]), negative ? -sine[i] : sine[i], wide(x[h].of[i]) * cosine[i]);
    if (active && head + h * c.warp_heads < side.count)
      store_pack(to + h * static_cast<int64_t>(side.out_head) * c.warp_heads,
                 posenc::cuda::pack<T>(turned));
  }
}

template <class T, int kHeads>
void launch_lines(const Place& place, PlainCall& c) {
  const int heads = kHeads * c.warp_heads;
  c.q.groups = (c.q.count + heads - 1) / heads, c.k.groups = (c.k.count + heads - 1) / heads;
  c.groups = Divider(c.q.groups + c.k.groups);
  const int64_t warps = c.all_tokens * (c.q.groups + c.k.groups);
  launch_early(place, "heads turned", shape_of(warps * 32, line_threads),
               c.angles.kept_rows > 0 ? turn_lines<T, kHeads, true> : turn_lines<T, kHeads, false>,
               c);
}

}  // namespace

void turn_by_lines(const Place& place, PlainCall& c, DType dtype) {
  dispatch(dtype, [&]<class T>() {
    if constexpr (sizeof(T) < 8) {
      c.packs = 2 * c.apart / Pack<T>::size, c.warp_heads = 32 / c.packs;
      const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * c.packs;
      threads < int64_t{place.processors()} * 1024 ? launch_lines<T, 1>(place, c)
                                                   : launch_lines<T, 4>(place, c);
    }
  });
}

}  // namespace posenc::cuda
