// rotate_into_vectorised.h: how threads share heads in rotate_into_vectorised.cu and
// rotate_into_fast.cu.
//
// A head belongs to 2^lane_bits neighbouring threads of a warp, each with two packs of it; packs
// that are rotated have pairs whose two numbers are both in one thread.
#pragma once

#include "cuda/rotate_fast.h"
#include "cuda/rotate_into.h"

namespace posenc::cuda {

constexpr unsigned pack_threads = 128;
constexpr int most_units = 32;

struct PackHeads {
  PlainCall heads{};
  int lane_bits = 0, units = 1;     // threads of a head, 2^lane_bits, and those with packs
  int first_pack = 0, turning = 0;  // packs that are rotated
  int half = 0;                     // of one block of the layout, in packs
};

// The two packs of a thread: their first features, whether they are rotated, and their first pairs.
struct Role {
  int feature[2], pair[2];
  bool turns[2];
};
template <bool kHalves, int kSize>
__device__ inline Role role_of(const PackHeads& c, int unit) {
  Role out;
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    int pack;
    if constexpr (kHalves) {
      const int turning = c.turning / 2, block = c.half == turning ? 0 : unit / c.half;
      const int rest = unit - turning + s * (c.units - turning);
      out.turns[s] = unit < turning, out.pair[s] = unit * kSize;
      pack = out.turns[s] ? c.first_pack + (block + s) * c.half + unit
                          : rest + (rest < c.first_pack ? 0 : c.turning);
    } else {
      pack = unit + s * c.units;
      out.turns[s] = pack >= c.first_pack && pack < c.first_pack + c.turning;
      out.pair[s] = (pack - c.first_pack) * (kSize / 2);
    }
    out.feature[s] = pack * kSize;
  }
  return out;
}

// Which heads of which token a thread works on.
struct Work {
  Divided token;    // the batch row, and the token in it
  int head, heads;  // the first, and how many; 0 where it idles
  bool is_query;
};
template <int kHeads>
__device__ inline Work work_of(const PackHeads& c, int64_t group, bool idle) {
  const PlainCall& all = c.heads;
  const Divided by_group = all.groups(group);
  idle = idle || by_group.quotient >= all.all_tokens;
  const int which = static_cast<int>(by_group.rest);
  const bool is_query = which < all.q.groups;
  const int head = (which - (is_query ? 0 : all.q.groups)) * kHeads;
  return {all.token(idle ? 0 : by_group.quotient), head,
          idle ? 0 : min(kHeads, (is_query ? all.q : all.k).count - head), is_query};
}

// 1 / sqrt(mean + epsilon) of each head; all threads of a warp are here.
template <int kHeads, class T, class C>
__device__ inline void find_scales(int lane_bits, C one_of_dim, C epsilon, const Pack<T> (*raw)[2],
                                   C* scale) {
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    C sum[2] = {0, 0};
#pragma unroll
    for (int s = 0; s < 2; ++s) {
      C x[Pack<T>::size];
      unpack(raw[h][s], x);
#pragma unroll
      for (int i = 0; i < Pack<T>::size; ++i) sum[s] = fma(x[i], x[i], sum[s]);
    }
    scale[h] = sum[0] + sum[1];
  }
#pragma unroll
  for (int apart = 16; apart > 0; apart /= 2) {
    if (apart >> lane_bits != 0) continue;
#pragma unroll
    for (int h = 0; h < kHeads; ++h) scale[h] += __shfl_xor_sync(~0u, scale[h], apart);
  }
#pragma unroll
  for (int h = 0; h < kHeads; ++h) scale[h] = inverse_root(fma(scale[h], one_of_dim, epsilon));
}

// What the numbers of a thread are multiplied by. Its pairs are those of both packs, or those in
// each; a pair (x, y), normed, becomes (a x - b y, d x + e y) or, where it is not rotated, (a x, e
// y).
template <bool kHalves, int kSize, class C>
struct Factors {
  C a[kSize] = {}, b[kSize] = {}, d[kSize], e[kSize];

  // Where the numbers of a pair lie among those of both packs, and in which of these.
  static constexpr int x(int pair) { return kHalves ? pair : 2 * pair; }
  static constexpr int y(int pair) { return kHalves ? kSize + pair : 2 * pair + 1; }
  static constexpr int pack(int pair) { return kHalves ? 0 : 2 * pair / kSize; }

  // From cosines and sines in `a` and `b`.
  __device__ void set(const Role& role, const C* weight, C warmth) {
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const C cosine = a[i], sine = b[i], first = weight[x(i)], second = weight[y(i)];
      const bool turns = role.turns[pack(i)];
      a[i] = first * (turns ? cosine : warmth), e[i] = second * (turns ? cosine : warmth);
      b[i] = second * sine, d[i] = first * sine;
    }
  }
  __device__ void apply(const Role& role, C* values) const {
#pragma unroll
    for (int i = 0; i < kSize; ++i) {
      const C first = values[x(i)], second = values[y(i)];
      C left = a[i] * first, right = e[i] * second;
      if (role.turns[pack(i)]) left = fma(-b[i], second, left), right = fma(d[i], first, right);
      values[x(i)] = left, values[y(i)] = right;
    }
  }
};

// The fast path, which most models take; false where the call does not fit it, and nothing was
// done.
bool rotate_into_fast(const DeviceStream& stream, const RotateIntoOrder& order,
                      const RotateIntoCall& call, const PackHeads& heads);

}  // namespace posenc::cuda
