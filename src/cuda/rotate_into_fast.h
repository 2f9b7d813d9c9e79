// rotate_into_fast.h: the parameters of the kernels of rotate_into_fast.cu, and how they store
// values.
#pragma once

#include "cuda/rotate_into_vectorised.h"

namespace posenc::cuda {

struct PlainCache {
  char* data = nullptr;
  int64_t page = 0, index = 0, head = 0;  // steps

  PlainCache() = default;
  explicit PlainCache(const DeviceCache& c)
      : data(c.data), page(c.page), index(c.index), head(c.head) {}
  template <class T>
  __device__ T* at(const Slot& slot, int h) const {
    return reinterpret_cast<T*>(data) + slot.page * page + slot.index * index + h * head;
  }
};

// What every thread reads lies together: a step of decoding takes little more than to fetch it.
struct PlainRotateInto : PackHeads {
  const void *q_weights = nullptr, *k_weights = nullptr;  // of norms; null: none
  float one_of_dim = 0, epsilon = 0, plus = 0;
  unsigned head_blocks = 0;  // blocks from here on store values
  PlainCache k_cache, v_cache;
  DeviceSlots slots;
  PlainSide v;
  Divider v_units, v_groups;

  // A token's slot, to be asked for; `any` may be read where none is given.
  __device__ Integer slot(const Divided& token, const void* any) const {
    const DeviceIntegers& s = slots.slots;
    return {s.given ? s.data : any, s.is_i32 || !s.given,
            s.given ? token.quotient * s.row + token.rest * s.column : 0};
  }
  // What it says, or where the token stands says; false where it is not stored.
  __device__ bool find(const Integer& asked, const Divided& token, Slot& out) const {
    const int64_t row = token.quotient, t = token.rest;
    return slots.find(slots.slots.given ? asked.value() : slots.at.integer(0, row, t), row, t, out);
  }
};

// A thread takes a pack of kHeads heads of a token.
template <int kHeads, class T>
__device__ void store_plain_values(const PlainRotateInto& c) {
  const Divided by_unit =
      c.v_units((blockIdx.x - c.head_blocks) * static_cast<int64_t>(blockDim.x) + threadIdx.x);
  const Divided by_group = c.v_groups(by_unit.quotient);
  if (by_group.quotient >= c.heads.all_tokens) return;
  const Divided token = c.heads.token(by_group.quotient);
  const int head = static_cast<int>(by_group.rest) * kHeads;
  const int64_t feature = by_unit.rest * Pack<T>::size;
  const T* from = reinterpret_cast<const T*>(c.v.in) + token.quotient * c.v.in_row +
                  token.rest * c.v.in_token + head * static_cast<int64_t>(c.v.in_head) + feature;
  Integer said = c.slot(token, from);
  wait_for_inputs();
  said.ask();
  Pack<T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (head + h < c.v.count) x[h] = load_pack(from + h * static_cast<int64_t>(c.v.in_head));
  Slot slot;
  if (!c.find(said, token, slot)) return;
  T* to = c.v_cache.at<T>(slot, head) + feature;
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (head + h < c.v.count) store_pack(to + h * c.v_cache.head, x[h]);
}

}  // namespace posenc::cuda
