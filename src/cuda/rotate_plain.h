// rotate_plain.h: the turn that most models need: whole positions on one axis say by how much, and
// all that turns lies in aligned packs.
#pragma once

#include "cuda/rows.h"
#include "orders.h"

namespace posenc::cuda {

constexpr unsigned plain_threads = 64;

// n / d for n below 2^31, by a multiplication.
struct Divider {
  uint32_t d = 1, factor = 0, shift = 0;

  Divider() = default;
  explicit Divider(int64_t divisor) : d(static_cast<uint32_t>(divisor)) {
    while ((uint64_t{1} << shift) < d) ++shift;
    factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - d)) / d + 1);
  }
  __device__ uint32_t divide(uint32_t n) const {
    return static_cast<uint32_t>((static_cast<uint64_t>(n) * factor >> 32) + n) >> shift;
  }
  __device__ Divided operator()(int64_t n) const {
    if (n >> 31 != 0) return {n / d, n % d};
    const uint32_t q = divide(static_cast<uint32_t>(n));
    return {q, static_cast<int64_t>(static_cast<uint32_t>(n) - q * d)};
  }
};

// Heads that turn, from their first feature that does; steps in elements.
struct PlainSide {
  const char* in = nullptr;
  char* out = nullptr;
  int in_token = 0, in_head = 0, out_token = 0, out_head = 0, count = 0, groups = 0;
};

// One token takes little more than a launch, which fetches all this anew: what every thread reads
// lies together, in small numbers.
struct PlainCall {
  Divider units, groups;
  int apart;                    // features between the halves of a head
  bool back, batched, nowhere;  // nowhere: positions that are not kept have no row
  PlainSide q, k;
  int64_t all_tokens, first;
  const float *cosines, *sines;  // kept rows
  int64_t kept_rows, row_step;
  DevicePlaces::Kind kind;
  // What is made rather than kept, read by ids, or of several batch rows.
  Amplitude amplitude;
  const uint64_t *hi, *lo;  // of the pairs, in turns
  bool mirrored;            // sines have the other sign, as those that are kept have already
  int64_t shift, end;
  DevicePlaces at;
  Divider tokens;
  int64_t q_in_row, q_out_row, k_in_row, k_out_row;
  int packs, warp_heads;  // of a head, and heads that a warp holds

  // Batch row and token.
  __device__ Divided token(int64_t n) const { return batched ? tokens(n) : Divided{0, n}; }
  __device__ int64_t position(const Divided& t) const {
    return kind == DevicePlaces::Kind::range ? first + t.rest : at.integer(0, t.quotient, t.rest);
  }
  template <class T>
  __device__ const T* input(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    const T* out = reinterpret_cast<const T*>(side.in) + t.rest * side.in_token +
                   static_cast<int64_t>(head) * side.in_head;
    return batched ? out + t.quotient * (is_query ? q_in_row : k_in_row) : out;
  }
  template <class T>
  __device__ T* output(bool is_query, const Divided& t, int head) const {
    const PlainSide& side = is_query ? q : k;
    T* out = reinterpret_cast<T*>(side.out) + t.rest * side.out_token +
             static_cast<int64_t>(head) * side.out_head;
    return batched ? out + t.quotient * (is_query ? q_out_row : k_out_row) : out;
  }
};

template <int kCount>
__device__ inline void make_angles(const PlainCall& c, int64_t position, int64_t k, float* cosine,
                                   float* sine) {
  const int64_t p = position + c.shift;
  // What is below hi turns less than 2^-33 within 2^31 positions.
  const bool far = p != static_cast<int32_t>(p);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const uint64_t hi = c.hi[k + i];
    const Turn turn = far ? phase(hi, c.lo[k + i], p) : hi * static_cast<uint64_t>(p);
    const float2 both = sine_cosine(turn, c.amplitude);
    sine[i] = c.mirrored ? -both.x : both.x, cosine[i] = both.y;
    if (position >= c.end) sine[i] = cosine[i] = not_a_number<float>();
  }
}

// Angles of a row that is kept; false where there is none, and they are to be made.
template <bool kKept, int kCount>
__device__ inline bool find_kept(const PlainCall& c, int64_t position, int64_t k, float* cosine,
                                 float* sine) {
  if (!kKept) return false;
  if (position >= 0 && position < c.kept_rows) {
    read_floats<kCount>(c.cosines + position * c.row_step + k, cosine);
    read_floats<kCount>(c.sines + position * c.row_step + k, sine);
    return true;
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) cosine[i] = sine[i] = not_a_number<float>();
  return c.nowhere;
}

// Turns; false where something is otherwise than said above, and nothing was done.
bool turn_plainly(const Place& place, const TurnOrder& order);

// Its two ways: the packs of a head one by one, and heads whose halves are shorter than a line of
// 128 bytes.
void turn_by_packs(const Place& place, PlainCall& call, DType dtype, bool halves);
void turn_by_lines(const Place& place, PlainCall& call, DType dtype);

}  // namespace posenc::cuda
