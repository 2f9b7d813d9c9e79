// plain_angles.h: the cosines and sines that most models need: whole positions on one axis say by
// how much pairs turn.
#pragma once

#include "cuda/rows.h"
#include "cuda/vectors.h"
#include "orders.h"

namespace posenc::cuda {

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

// Rows that are kept come first: one token takes little more than a launch, which fetches all this
// anew.
struct PlainAngles {
  const float *cosines = nullptr, *sines = nullptr;  // kept rows
  int64_t kept_rows = 0, row_step = 0, first = 0;
  DevicePlaces::Kind kind = DevicePlaces::Kind::range;
  bool nowhere = false;   // positions that are not kept have no row
  bool mirrored = false;  // sines have the other sign, as those that are kept have already
  // What is made rather than kept, or read by ids.
  Amplitude amplitude{};
  const uint64_t *hi = nullptr, *lo = nullptr;  // of the pairs, in turns
  int64_t shift = 0, end = INT64_MAX;
  DevicePlaces at;

  __device__ int64_t position(const Divided& t) const {
    return kind == DevicePlaces::Kind::range ? first + t.rest : at.integer(0, t.quotient, t.rest);
  }
};

template <int kCount>
__device__ inline void make_angles(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                   float* sine) {
  const int64_t p = position + c.shift;
  // What is below hi turns less than 2^-33 within 2^31 positions.
  const bool far = p != static_cast<int32_t>(p);
  const auto hi = load_numbers<kCount>(c.hi + k);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const Turn turn = far ? phase(hi.of[i], c.lo[k + i], p) : hi.of[i] * static_cast<uint64_t>(p);
    const float2 both = sine_cosine(turn, c.amplitude);
    sine[i] = c.mirrored ? -both.x : both.x, cosine[i] = both.y;
    if (position >= c.end) sine[i] = cosine[i] = not_a_number<float>();
  }
}

// Angles of a row that is kept; false where there is none, and they are to be made.
template <bool kKept, int kCount>
__device__ inline bool find_kept(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                 float* sine) {
  if (!kKept) return false;
  const bool is = position >= 0 && position < c.kept_rows;
  if (is) {
    const int64_t at = position * c.row_step + k;
    const auto x = load_numbers<kCount>(c.cosines + at), y = load_numbers<kCount>(c.sines + at);
#pragma unroll
    for (int i = 0; i < kCount; ++i) cosine[i] = x.of[i], sine[i] = y.of[i];
  } else if (c.nowhere) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) cosine[i] = sine[i] = not_a_number<float>();
  }
  return is || c.nowhere;
}

// Both of them.
template <bool kKept, int kCount>
__device__ inline void find_angles(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                   float* sine) {
  if (!find_kept<kKept, kCount>(c, position, k, cosine, sine))
    make_angles<kCount>(c, position, k, cosine, sine);
}

// Those of an order; false where they are not plain.
bool find_plain_angles(const Place& place, const TurnOrder& order, PlainAngles& out);

}  // namespace posenc::cuda
