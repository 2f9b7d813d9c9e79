// plain_angles.h: the cosines and sines that most models need: a pair turns by position x
// frequency, for whole positions on one axis.
#pragma once

#include "cuda/rows.h"
#include "cuda/vectors.h"
#include "orders/orders.h"

namespace posenc::cuda {

// Rows that are kept come first: one token takes little more than a launch, which fetches all this
// anew.
struct PlainAngles {
  const void *cosines = nullptr, *sines = nullptr;  // kept rows, of a type but f64
  int64_t kept_rows = 0, row_step = 0, first = 0;
  DType kept_type = DType::f32;
  DevicePlaces::Kind kind = DevicePlaces::Kind::range;
  bool nowhere = false;   // positions that are not kept have no row
  bool mirrored = false;  // sines have the other sign, as those that are kept have already
  // What is made rather than kept, or read by ids.
  Amplitude amplitude{};
  const uint64_t *hi = nullptr, *lo = nullptr;  // of the pairs, in turns
  int64_t shift = 0, end = INT64_MAX;
  DevicePlaces at;

  // A token's position, to be asked for; `any` may be read where none is told.
  __device__ Integer place(const Divided& t, const void* any) const {
    const bool told = kind != DevicePlaces::Kind::range;
    return {told ? at.ids : any, kind != DevicePlaces::Kind::i64,
            told ? at.at(0, t.quotient, t.rest) : 0};
  }
  __device__ int64_t position(const Divided& t, const Integer& place) const {
    return kind == DevicePlaces::Kind::range ? first + t.rest : place.value();
  }
  __device__ int64_t position(const Divided& t) const {
    return kind == DevicePlaces::Kind::range ? first + t.rest : at.integer(0, t.quotient, t.rest);
  }
  template <bool kKept>
  __device__ bool keeps(int64_t position) const {
    return kKept && position >= 0 && position < kept_rows;
  }
};

// Angles of a row that is kept; of another one, without a branch, where it is not.
template <bool kKept, int kCount>
__device__ inline void load_kept(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                 float* sine) {
  if constexpr (kKept) {
    const int64_t row = max(int64_t{0}, min(position, c.kept_rows - 1)), at = row * c.row_step + k;
    const auto load = [&]<class T>() {
      read_numbers_of<T, kCount>(c.cosines, at, cosine);
      read_numbers_of<T, kCount>(c.sines, at, sine);
    };
    if (c.kept_type == DType::f32) {
      load.template operator()<float>();
    } else if (c.kept_type == DType::bf16) {
      load.template operator()<BF16>();
    } else {
      load.template operator()<F16>();
    }
  }
}

// Those of a row that is not.
template <bool kKept, int kCount>
__device__ inline void make_angles(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                   float* sine) {
  if (kKept && c.nowhere) {
#pragma unroll
    for (int i = 0; i < kCount; ++i) cosine[i] = sine[i] = not_a_number<float>();
    return;
  }
  const int64_t p = position + c.shift;
  // What is below hi turns less than 2^-33 within 2^31 positions.
  const bool beyond_int32 = p != static_cast<int32_t>(p);
  const auto hi = load_numbers<kCount>(c.hi + k);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    const Turn turn =
        beyond_int32 ? phase(hi.of[i], c.lo[k + i], p) : hi.of[i] * static_cast<uint64_t>(p);
    const float2 both = sine_cosine(turn, c.amplitude);
    sine[i] = c.mirrored ? -both.x : both.x, cosine[i] = both.y;
    if (position >= c.end) sine[i] = cosine[i] = not_a_number<float>();
  }
}

// Both of them.
template <bool kKept, int kCount>
__device__ inline void find_angles(const PlainAngles& c, int64_t position, int64_t k, float* cosine,
                                   float* sine) {
  load_kept<kKept, kCount>(c, position, k, cosine, sine);
  if (!c.keeps<kKept>(position)) make_angles<kKept, kCount>(c, position, k, cosine, sine);
}

// Those of an order; false where they are not plain.
bool find_plain_angles(const DeviceStream& stream, const RotateOrder& order, PlainAngles& out);

}  // namespace posenc::cuda
