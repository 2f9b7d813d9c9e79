// vectors.h: a few numbers of any type that lie side by side and move together.
#pragma once

#include "cuda/element_types.h"

#ifndef __CUDACC__
#include "base/half.h"
#endif

namespace posenc::cuda {

template <int kCount, class T>
union Numbers {
  static constexpr int bytes = kCount * static_cast<int>(sizeof(T));
  static constexpr int chunks = bytes > 16 ? bytes / 16 : 1;
  using Chunk = std::conditional_t<
      (bytes >= 16), uint4,
      std::conditional_t<bytes == 8, uint64_t, std::conditional_t<bytes == 4, uint32_t, uint16_t>>>;
  Chunk all[chunks];
  T of[kCount];
  __device__ Numbers() {}
};
template <int kCount, class T>
__device__ inline Numbers<kCount, T> load_numbers(const T* p) {
  Numbers<kCount, T> v;
#pragma unroll
  for (int i = 0; i < v.chunks; ++i)
    v.all[i] = reinterpret_cast<const typename Numbers<kCount, T>::Chunk*>(p)[i];
  return v;
}
template <int kCount, class T>
__device__ inline void store_numbers(T* p, const Numbers<kCount, T>& v) {
  using Chunk = typename Numbers<kCount, T>::Chunk;
#pragma unroll
  for (int i = 0; i < v.chunks; ++i) {
    if constexpr (sizeof(Chunk) == 16) {
      store_16_bytes(reinterpret_cast<Chunk*>(p) + i, v.all[i]);
    } else {
      reinterpret_cast<Chunk*>(p)[i] = v.all[i];
    }
  }
}

// A pack as the type sums are done in.
template <class T>
__device__ inline void unpack(const Pack<T>& v, Compute<T>* out) {
#pragma unroll
  for (int i = 0; i < Pack<T>::size; ++i) {
#ifdef __CUDACC__  // by words: halves of them, one by one, would take twice the registers
    if constexpr (std::is_same_v<T, BF16>) {
      out[i] = __uint_as_float(i % 2 ? v.words[i / 2] & 0xffff0000u : v.words[i / 2] << 16);
      continue;
    } else if constexpr (std::is_same_v<T, F16>) {
      const float2 two = __half22float2(reinterpret_cast<const __half2&>(v.words[i / 2]));
      out[i] = i % 2 ? two.y : two.x;
      continue;
    }
#endif
    out[i] = wide(v.of[i]);
  }
}

// A number of any type from any compute type, rounded once.
template <class T, class C>
__device__ inline T narrow_once(C x) {
  if constexpr (sizeof(T) == 2 && sizeof(C) == 8) {
#ifdef __CUDACC__
    if constexpr (std::is_same_v<T, F16>) {
      return {__half_as_ushort(__double2half(x))};
    } else {
      return {__bfloat16_as_ushort(__double2bfloat16(x))};
    }
#else
    return rounded_once<T>(x);
#endif
  } else {
    return narrow<T>(static_cast<Compute<T>>(x));
  }
}

// kCount of them from element `at` on, of a type that is known when the kernel runs.
template <class T, int kCount, class C>
__device__ inline void read_numbers_of(const void* data, int64_t at, C* out) {
  const auto v = load_numbers<kCount>(static_cast<const T*>(data) + at);
#pragma unroll
  for (int i = 0; i < kCount; ++i) out[i] = static_cast<C>(wide(v.of[i]));
}
template <int kCount, class C>
__device__ inline void read_numbers(DType dtype, const void* data, int64_t at, C* out) {
  switch (dtype) {
    case DType::f32:
      return read_numbers_of<float, kCount>(data, at, out);
    case DType::f64:
      return read_numbers_of<double, kCount>(data, at, out);
    case DType::f16:
      return read_numbers_of<F16, kCount>(data, at, out);
    default:
      return read_numbers_of<BF16, kCount>(data, at, out);
  }
}
template <class T, int kCount, class C>
__device__ inline void write_numbers_of(void* data, int64_t at, const C* x) {
  Numbers<kCount, T> v;
#pragma unroll
  for (int i = 0; i < kCount; ++i) v.of[i] = narrow_once<T>(x[i]);
  store_numbers<kCount>(static_cast<T*>(data) + at, v);
}
template <int kCount, class C>
__device__ inline void write_numbers(DType dtype, void* data, int64_t at, const C* x) {
  switch (dtype) {
    case DType::f32:
      return write_numbers_of<float, kCount>(data, at, x);
    case DType::f64:
      return write_numbers_of<double, kCount>(data, at, x);
    case DType::f16:
      return write_numbers_of<F16, kCount>(data, at, x);
    default:
      return write_numbers_of<BF16, kCount>(data, at, x);
  }
}

}  // namespace posenc::cuda
