// rotate_fast_warps.cu: rotates heads in halves; a warp reads and writes whole lines of memory.
//
// The threads of a warp take the packs of some heads of a token as they lie in memory, and exchange
// packs with the threads that hold the other halves. The angles of the token are computed, or read,
// once for the warp.
#include "base/dispatch.h"
#include "cuda/rotate_fast.h"

namespace posenc::cuda {
namespace {

constexpr unsigned line_threads = 64;
constexpr int most_pairs = line_bytes / 4;  // of a head, in f16

template <class T, int kHeads, bool kKept>
__global__ void __launch_bounds__(line_threads) rotate_lines(const __grid_constant__ PlainCall c) {
  constexpr int count = Pack<T>::size;
  constexpr unsigned all = 0xffffffffu;
  alignas(16) __shared__ float rows[line_threads / 32][2][most_pairs];
  const int lane = static_cast<int>(threadIdx.x % 32), apart = c.packs / 2;
  const int local = static_cast<int>(c.units.divide(static_cast<uint32_t>(lane)));
  const int pack = lane - local * c.packs;
  const bool second = pack >= apart, active = local < c.warp_heads;
  const int mate = !active ? lane : second ? lane - apart : lane + apart;
  const int64_t warp = (blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x) / 32;
  const Divided by_group = c.groups(warp);
  if (by_group.quotient >= c.all_tokens) return;  // the whole warp
  const bool is_query = by_group.rest < c.q.groups;
  const PlainSide& side = is_query ? c.q : c.k;
  const int first =
      (static_cast<int>(by_group.rest) - (is_query ? 0 : c.q.groups)) * kHeads * c.warp_heads;
  const int left = active ? side.count - first - local : 0;
  const Divided token = c.token(by_group.quotient);
  const T* from = c.input<T>(is_query, token, first + local) + pack * count;
  T* to = c.output<T>(is_query, token, first + local) + pack * count;
  const int64_t in_step = static_cast<int64_t>(side.in_head) * c.warp_heads;
  const int64_t out_step = static_cast<int64_t>(side.out_head) * c.warp_heads;
  wait_for_inputs();
  Pack<T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (h * c.warp_heads < left) x[h] = load_pack(from + h * in_step);
  const int64_t position = c.angles.position(token);
  float(*row)[most_pairs] = rows[threadIdx.x / 32];
  if (c.angles.keeps<kKept>(position)) {
    if (4 * lane < c.apart) {
      Numbers<4, float> some[2];
      load_kept<kKept, 4>(c.angles, position, 4 * lane, some[0].of, some[1].of);
      for (int i = 0; i < 2; ++i) *reinterpret_cast<uint4*>(&row[i][4 * lane]) = some[i].all[0];
    }
  } else {
#pragma unroll 1
    for (int k = lane; k < c.apart; k += 32)
      make_angles<kKept, 1>(c.angles, position, k, &row[0][k], &row[1][k]);
  }
  __syncwarp();
  const int k = (second ? pack - apart : active ? pack : 0) * count;
  const auto cosine = load_numbers<count>(&row[0][k]);
  auto sine = load_numbers<count>(&row[1][k]);
  const bool negative = c.back == second;  // a cos - b sin, or b cos + a sin; back the other way
#pragma unroll
  for (int i = 0; i < count; ++i) sine.of[i] = negative ? -sine.of[i] : sine.of[i];
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (first + h * c.warp_heads >= side.count) break;  // the whole warp
    Pack<T> y;
#pragma unroll
    for (int i = 0; i < 4; ++i) y.words[i] = __shfl_sync(all, x[h].words[i], mate);
    float own[count], other[count];
    unpack(x[h], own), unpack(y, other);
#pragma unroll
    for (int i = 0; i < count; ++i) own[i] = fmaf(other[i], sine.of[i], own[i] * cosine.of[i]);
    if (h * c.warp_heads < left) store_pack(to + h * out_step, posenc::cuda::pack<T>(own));
  }
}

template <class T, int kHeads>
void launch_lines(const DeviceStream& stream, PlainCall& c) {
  const int heads = kHeads * c.warp_heads;
  c.q.groups = (c.q.count + heads - 1) / heads, c.k.groups = (c.k.count + heads - 1) / heads;
  c.groups = Divider(c.q.groups + c.k.groups), c.units = Divider(c.packs);
  const int64_t warps = c.all_tokens * (c.q.groups + c.k.groups);
  launch_early(
      stream, "rotate", shape_of(warps * 32, line_threads),
      c.angles.kept_rows > 0 ? rotate_lines<T, kHeads, true> : rotate_lines<T, kHeads, false>, c);
}

// Warps with idle threads take more heads, few tokens leave one for each.
template <class T>
void launch_some(const DeviceStream& stream, PlainCall& c) {
  c.packs = 2 * c.apart / Pack<T>::size, c.warp_heads = 32 / c.packs;
  const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * c.packs;
  threads < int64_t{stream.processors()} * 1024 ? launch_lines<T, 1>(stream, c)
  : 32 % c.packs == 0                           ? launch_lines<T, 4>(stream, c)
                                                : launch_lines<T, 8>(stream, c);
}

}  // namespace

void rotate_by_lines(const DeviceStream& stream, PlainCall& c, DType dtype) {
  dispatch(dtype, [&]<class T>() {
    if constexpr (sizeof(T) < 8) launch_some<T>(stream, c);
  });
}

}  // namespace posenc::cuda
