// rotate_into.h: the parameters of the kernels of rotate_into, and how they store values.
#pragma once

#include "cuda/angles.h"
#include "cuda/pairs.h"
#include "cuda/slots.h"
#include "cuda/vectors.h"

namespace posenc::cuda {

// Queries or keys, [..., tokens, heads, dim], and the weights of their norm.
struct RotateIntoSide {
  View in, out;
  int64_t heads = 0, first = 0, count = 0;  // all, and those that are rotated
  bool writes = false, normed = false;
  const void* weights = nullptr;
  DType weight_type = DType::f32;
  int64_t weight_step = 0;
};

// A number in both compute types.
struct Constant {
  double f64 = 0;
  float f32 = 0;
  Constant(double x = 0) : f64(x), f32(static_cast<float>(x)) {}
  template <class C>
  __device__ C as() const {
    if constexpr (sizeof(C) == 8) return f64;
    return static_cast<C>(f32);
  }
};

struct RotateIntoCall {
  DeviceAngles angles;
  RotateIntoSide q, k;
  View v;
  DeviceCache k_cache, v_cache;
  DeviceSlots slots;
  Constant one_of_dim, epsilon, plus;
  int64_t tokens = 0, all_tokens = 0;  // of a batch row, and of all
  int64_t dim = 0, first = 0, pairs = 0, block_pairs = 0;
  int64_t row_heads = 1;
  bool halves_in = false, halves_out = false, norms = false;
  int64_t head_blocks = 0;  // blocks from here on store values
  int64_t value_heads = 0, value_units = 0, value_groups = 0;
  bool value_packs = false;

  // The batch row and the token of one of all tokens.
  __device__ Divided token_at(int64_t n) const {
    return tokens == all_tokens ? Divided{0, n} : divided(n, tokens);
  }
};

// 1 / sqrt(x); in f32 from the device's estimate and a step of Newton's, without a branch.
template <class C>
__device__ inline C inverse_root(C x) {
  if constexpr (sizeof(C) == 4) {
    const float y = rsqrtf(x);
    return fmaf(y * fmaf(-x * y, y, 1), 0.5f, y);
  }
  return 1 / sqrt(x);
}

constexpr int values_together = 4;  // heads of a token that a thread takes

// A thread takes kCount features of some heads of a token.
template <int kCount, class T>
__device__ void store_values(const RotateIntoCall& c) {
  using C = Compute<T>;
  const int64_t i = (blockIdx.x - c.head_blocks) * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided by_unit = divided(i, c.value_units);
  const Divided by_group = divided(by_unit.quotient, c.value_groups);
  if (by_group.quotient >= c.all_tokens) return;
  const Divided token = c.token_at(by_group.quotient);
  const int64_t head = by_group.rest * values_together, feature = by_unit.rest * kCount;
  const int heads = static_cast<int>(min(int64_t{values_together}, c.value_heads - head));
  const T* from = c.v.at<T>(token.quotient) + token.rest * c.v.last[0] + head * c.v.last[1] +
                  feature * c.v.last[2];
  wait_for_inputs();
  const int64_t said = c.slots.read(token.quotient, token.rest);
  Numbers<kCount, T> x[values_together];
#pragma unroll
  for (int h = 0; h < values_together; ++h)
    if (h < heads) x[h] = load_numbers<kCount>(from + h * c.v.last[1]);
  Slot slot;
  if (!c.slots.find(said, token.quotient, token.rest, slot)) return;
  const DeviceCache& to = c.v_cache;
  const int64_t at = to.at(slot, head) + feature * to.feature;
#pragma unroll
  for (int h = 0; h < values_together; ++h) {
    if (h >= heads) break;
    if (to.dtype == dtype_of<T>) {
      store_numbers<kCount>(reinterpret_cast<T*>(to.data) + at + h * to.head, x[h]);
    } else {
      C wider[kCount];
#pragma unroll
      for (int j = 0; j < kCount; ++j) wider[j] = wide(x[h].of[j]);
      write_numbers<kCount>(to.dtype, to.data, at + h * to.head, wider);
    }
  }
}
template <class T>
__device__ inline void store_values(const RotateIntoCall& c) {
  c.value_packs ? store_values<Pack<T>::size, T>(c) : store_values<1, T>(c);
}

// So many blocks for heads, and those that values need.
template <class Call, class Kernel>
void launch_rotate_into(const DeviceStream& stream, Call& c, int64_t blocks, unsigned threads,
                        Kernel kernel) {
  const int64_t values = c.all_tokens * c.value_groups * c.value_units;
  const int64_t all = blocks + pieces(values, threads);
  if (all > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", all);
  c.head_blocks = blocks;
  launch_early(stream, "rotate_into", {dim3(static_cast<unsigned>(all)), threads}, kernel, c);
}

// 16 bytes at a time, where everything lies so; false where it does not.
bool rotate_into_vectorised(const DeviceStream& stream, const RotateIntoOrder& order,
                            const RotateIntoCall& call);
// One number at a time.
void rotate_into_scalar(const DeviceStream& stream, RotateIntoCall& call, DType dtype);

}  // namespace posenc::cuda
