// rotate_fast.h: the fast path of rotate: integer positions on one axis, and rotated features in
// aligned packs.
#pragma once

#include "cuda/plain_angles.h"

namespace posenc::cuda {

// The heads that are rotated, from a first feature on; steps in elements.
struct PlainSide {
  const char* in = nullptr;
  char* out = nullptr;  // null: nowhere
  int in_token = 0, in_head = 0, out_token = 0, out_head = 0, count = 0, groups = 0;
  int64_t in_row = 0, out_row = 0;  // of a batch
};

// What every thread reads lies together, in small numbers.
struct PlainCall {
  Divider units, groups;
  int apart;  // features between the halves of a head
  bool back, batched;
  PlainSide q, k;
  int64_t all_tokens;
  PlainAngles angles;
  Divider tokens;         // of a batch row
  int packs, warp_heads;  // of a head, and heads that a warp holds

  // Batch row and token.
  __device__ Divided token(int64_t n) const { return batched ? tokens(n) : Divided{0, n}; }
  template <class T>
  __device__ const T* input(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    const T* out = reinterpret_cast<const T*>(side.in) + t.rest * side.in_token +
                   static_cast<int64_t>(head) * side.in_head;
    return batched ? out + t.quotient * side.in_row : out;
  }
  template <class T>
  __device__ T* output(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    T* out = reinterpret_cast<T*>(side.out) + t.rest * side.out_token +
             static_cast<int64_t>(head) * side.out_head;
    return batched ? out + t.quotient * side.out_row : out;
  }
};

// Where heads, from a first feature on, and their tokens lie; false where they lie otherwise: batch
// rows not at one distance, packs that are not aligned, or a head too far from the next.
bool find_side(const RotaryHeads& heads, int64_t first_feature, PlainSide& out);
bool find_sides(const RotateOrder& order, int64_t first_feature, PlainCall& out);

// Rotates; false where the order does not fit the fast path, and nothing was written.
bool rotate_plainly(const DeviceStream& stream, const RotateOrder& order);

// Its two kernels: a thread for each pack of a head, and a warp for heads in halves of at most
// line_bytes, which it reads as they lie in memory.
constexpr int line_bytes = 512;
void rotate_by_packs(const DeviceStream& stream, PlainCall& call, DType dtype, bool halves);
void rotate_by_lines(const DeviceStream& stream, PlainCall& call, DType dtype);

}  // namespace posenc::cuda
