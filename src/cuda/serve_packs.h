// serve_packs.h: heads as threads share them in serve_packs.cu.
//
// A head belongs to 2^lane_bits neighbouring threads of a warp, each with two packs of it; those
// that turn have pairs whose two numbers are both in one thread. A block makes the cosines and
// sines of its tokens, and the weights of norms, once for all its heads.
#pragma once

#include "cuda/serve.h"

namespace posenc::cuda {

constexpr int most_pairs = 512, most_tokens = 8;  // of a block
constexpr int most_threads = 160, most_units = 32;

struct PackCall : ServeCall {
  int lane_bits = 0, units = 1;       // threads of a head, 2^lane_bits, and those with packs
  int first_pack = 0, turning = 0;    // packs that turn
  int half = 0;                       // of one block of the layout, in packs
  int q_groups = 0, groups = 0;       // of heads of a token
  int parts = 1;                      // blocks for a token
  int groups_here = 1, together = 1;  // groups and tokens of a block
  explicit PackCall(const ServeCall& c) : ServeCall(c) {}
};

// What the threads of a block share.
template <class T>
struct Shared {
  using C = Compute<T>;
  alignas(16) C cosine[most_pairs], sine[most_pairs];  // of queries; then of keys if they differ
  alignas(16) C weight[2][most_units * 2 * Pack<T>::size];  // of queries and keys
  C warmth[most_tokens];  // the factor on what does not turn, of q
};

// kAdjusts: q and k may need rows of their own.
template <bool kAdjusts, class T>
__device__ inline void find_angles(const PackCall& c, int64_t first, Shared<T>& out) {
  using C = Compute<T>;
  const auto pairs = static_cast<unsigned>(c.pairs);
  const auto tokens = static_cast<unsigned>(min(int64_t{c.together}, c.all_tokens - first));
  for (unsigned i = threadIdx.x; i < tokens * pairs; i += blockDim.x) {
    const unsigned t = i / pairs, k = i - t * pairs;
    const Divided token = c.token_at(first + t);
    C cosine, sine;
    c.angles.find<1>(token.quotient, token.rest, 0, k, &cosine, &sine);
    if (kAdjusts && c.angles.adjusts) {
      C for_keys[] = {cosine, sine};
      c.angles.adjust<1>(false, token.quotient, token.rest, k, for_keys, for_keys + 1);
      out.cosine[c.together * pairs + i] = for_keys[0];
      out.sine[c.together * pairs + i] = for_keys[1];
      c.angles.adjust<1>(true, token.quotient, token.rest, k, &cosine, &sine);
    }
    out.cosine[i] = cosine, out.sine[i] = sine;
  }
  if (!kAdjusts || !c.angles.magnitudes.has_temperature || threadIdx.x >= tokens) return;
  const Divided token = c.token_at(first + threadIdx.x);
  out.warmth[threadIdx.x] = static_cast<C>(c.angles.passing(token.quotient, token.rest));
}

template <class T>
__device__ inline void find_weights(const PackCall& c, Shared<T>& out) {
  using C = Compute<T>;
  const auto dim = static_cast<unsigned>(c.dim);
  for (unsigned i = threadIdx.x; i < 2 * dim; i += blockDim.x) {
    const ServeSide& side = i < dim ? c.q : c.k;
    const unsigned f = i < dim ? i : i - dim;
    if (side.normed)
      out.weight[i < dim ? 0 : 1][f] =
          c.plus.as<C>() + read_as<C>(side.weight_type, side.weights, f * side.weight_step);
  }
}

// The two packs of a thread: their first features, whether they turn, and by which pairs.
struct Role {
  int feature[2], pair[2];
  bool turns[2];
};
template <bool kHalves, int kSize>
__device__ inline Role role_of(const PackCall& c, int unit) {
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
  int64_t row, token;
  int head, heads;   // the first, and how many; 0 where it idles
  int here;          // which token of the block
  unsigned turning;  // a bit for each head that turns
  bool is_query;
};
template <int kHeads>
__device__ inline Work work_of(const PackCall& c, int64_t first, int part, int unit) {
  const unsigned group = threadIdx.x >> c.lane_bits, groups = c.groups_here;
  const int here = static_cast<int>(group / groups);
  const int which = (part - here) * c.groups_here + static_cast<int>(group);
  const bool is_query = which < c.q_groups;
  const int head = (which - (is_query ? 0 : c.q_groups)) * kHeads;
  const bool idle =
      unit >= c.units || here >= c.together || which >= c.groups || first + here >= c.all_tokens;
  const Divided token = c.token_at(idle ? 0 : first + here);
  const ServeSide& side = is_query ? c.q : c.k;
  const int left = static_cast<int>(side.heads) - head;
  unsigned turning = 0;
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (head + h >= side.first && head + h < side.first + side.count) turning |= 1u << h;
  return {token.quotient,  token.rest, head,    idle ? 0 : min(kHeads, left),
          idle ? 0 : here, turning,    is_query};
}
// Where the first pack of the first head of them lies.
template <class T>
__device__ inline T* find(const View& v, const Work& work, const Role& role) {
  return v.at<T>(work.row) + work.token * v.last[0] + work.head * v.last[1] + role.feature[0];
}

// 1 / sqrt(mean + epsilon) of a head; all threads of a warp are here.
template <int kSize, class C>
__device__ inline C find_scale(const PackCall& c, const C (&x)[2][kSize]) {
  C sum[2] = {0, 0};
#pragma unroll
  for (int s = 0; s < 2; ++s)
#pragma unroll
    for (int i = 0; i < kSize; ++i) sum[s] = fma(x[s][i], x[s][i], sum[s]);
  C all = sum[0] + sum[1];
  for (int apart = 1 << c.lane_bits >> 1; apart > 0; apart /= 2)
    all += __shfl_xor_sync(~0u, all, apart);
  return inverse_root(fma(all, c.one_of_dim.as<C>(), c.epsilon.as<C>()));
}

// The cosines or sines of a thread: of pairs of both packs, or of pairs in each.
template <bool kHalves, int kSize, class C>
__device__ inline void read_angles(const C* from, const Role& role, C* out) {
  constexpr int parts = kHalves ? 1 : 2, count = kSize / parts;
#pragma unroll
  for (int s = 0; s < parts; ++s) {
    if (!role.turns[s]) continue;
    const auto some = load_numbers<count>(from + role.pair[s]);
#pragma unroll
    for (int i = 0; i < count; ++i) out[s * count + i] = some.of[i];
  }
}

template <bool kHalves, int kSize, class C>
__device__ inline void turn_packs(const Role& role, bool turns, const C* cosine, const C* sine,
                                  C warmth, C (*x)[kSize]) {
  if constexpr (kHalves) {
    if (turns && role.turns[0]) {
#pragma unroll
      for (int i = 0; i < kSize; ++i) turn(x[0][i], x[1][i], cosine[i], sine[i]);
      return;
    }
  }
#pragma unroll
  for (int s = 0; s < 2; ++s) {
    if (!kHalves && turns && role.turns[s]) {
#pragma unroll
      for (int i = 0; i < kSize / 2; ++i)
        turn(x[s][2 * i], x[s][2 * i + 1], cosine[s * (kSize / 2) + i], sine[s * (kSize / 2) + i]);
    } else {
#pragma unroll
      for (int i = 0; i < kSize; ++i) x[s][i] *= warmth;
    }
  }
}

}  // namespace posenc::cuda
