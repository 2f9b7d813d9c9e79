// pairs.h: loads pairs of features of a head, turns them and stores them.
#pragma once

#include "cuda/vectors.h"

namespace posenc::cuda {

template <class C>
__device__ inline void turn(C& a, C& b, C cosine, C sine) {
  const C x = a;
  a = fma(-b, sine, x * cosine), b = fma(x, sine, b * cosine);
}

// kCount pairs from p on: halves of a head lie `apart` features from each other, other pairs side
// by side. More than one are packs, whose features lie side by side.
template <int kCount, bool kHalves, class T>
struct Pairs {
  using C = Compute<T>;
  static constexpr int packs = kHalves ? 2 : 1;
  Pack<T> pack[packs];

  __device__ void load(const T* p, int64_t, int64_t apart) {
    pack[0] = load_pack(p);
    if constexpr (kHalves) pack[1] = load_pack(p + apart);
  }
  __device__ void store(T* p, int64_t, int64_t apart) const {
    store_pack(p, pack[0]);
    if constexpr (kHalves) store_pack(p + apart, pack[1]);
  }
  __device__ void turn_by(const C* cosine, const C* sine) {
    C x[packs][Pack<T>::size];
#pragma unroll
    for (int k = 0; k < packs; ++k) unpack(pack[k], x[k]);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if constexpr (kHalves) {
        turn(x[0][i], x[1][i], cosine[i], sine[i]);
      } else {
        turn(x[0][2 * i], x[0][2 * i + 1], cosine[i], sine[i]);
      }
    }
#pragma unroll
    for (int k = 0; k < packs; ++k) pack[k] = posenc::cuda::pack<T>(x[k]);
  }
};

template <bool kHalves, class T>
struct Pairs<1, kHalves, T> {
  using C = Compute<T>;
  T a, b;

  __device__ void load(const T* p, int64_t step, int64_t apart) {
    a = p[0], b = p[(kHalves ? apart : 1) * step];
  }
  __device__ void store(T* p, int64_t step, int64_t apart) const {
    p[0] = a, p[(kHalves ? apart : 1) * step] = b;
  }
  __device__ void turn_by(const C* cosine, const C* sine) {
    C x = wide(a), y = wide(b);
    turn(x, y, *cosine, *sine);
    a = narrow<T>(x), b = narrow<T>(y);
  }
};

}  // namespace posenc::cuda
