// element_types.h: element types in kernels, one at a time and 16 bytes at a time.
#pragma once

#include <cuda_runtime.h>

#ifdef __CUDACC__
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
#include "base/half.h"
#endif

#include "posenc/tensor.h"

namespace posenc::cuda {

// A number as the type sums are done in, and back: rounded once, to nearest even.
__device__ inline float wide(float x) { return x; }
__device__ inline double wide(double x) { return x; }
__device__ inline float wide(BF16 x) {
  return __uint_as_float(static_cast<uint32_t>(x.bits) << 16);
}
__device__ inline float wide(F16 x) {
#ifdef __CUDACC__
  return __half2float(__ushort_as_half(x.bits));
#else
  return to_f32(x);
#endif
}
template <class T>
__device__ inline T narrow(Compute<T> x) {
  if constexpr (sizeof(T) > 2) {
    return x;
#ifdef __CUDACC__
  } else if constexpr (std::is_same_v<T, F16>) {
    return {__half_as_ushort(__float2half_rn(x))};
  } else {
    return {__bfloat16_as_ushort(__float2bfloat16_rn(x))};
  }
#else
  } else {
    return rounded_to<T>(x);
  }
#endif
}

// 16 bytes of them, which lie side by side and move together.
template <class T>
union Pack {
  static constexpr int size = 16 / sizeof(T);
  uint4 all;
  T of[size];
  uint32_t words[4];
  __device__ Pack() {}
};
template <class T>
__device__ inline Pack<T> load_pack(const T* p) {
  Pack<T> v;
  v.all = *reinterpret_cast<const uint4*>(p);
  return v;
}
// Written as an assignment, parts of a union would be stored one by one.
__device__ inline void store_16_bytes(void* p, const uint4& v) {
#ifdef __CUDACC__
  asm volatile("st.global.v4.u32 [%0], {%1, %2, %3, %4};" ::"l"(__cvta_generic_to_global(p)),
               "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
               : "memory");
#else
  *static_cast<uint4*>(p) = v;
#endif
}
template <class T>
__device__ inline void store_pack(T* p, const Pack<T>& v) {
  store_16_bytes(p, v.all);
}
template <class T>
__device__ inline Pack<T> pack(const Compute<T>* x) {
  Pack<T> v;
#ifdef __CUDACC__
  if constexpr (sizeof(T) == 2) {  // two by one instruction
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if constexpr (std::is_same_v<T, F16>) {
        const __half2 two = __floats2half2_rn(x[2 * i], x[2 * i + 1]);
        v.words[i] = *reinterpret_cast<const uint32_t*>(&two);
      } else {
        const __nv_bfloat162 two = __floats2bfloat162_rn(x[2 * i], x[2 * i + 1]);
        v.words[i] = *reinterpret_cast<const uint32_t*>(&two);
      }
    }
  } else
#endif
  {
#pragma unroll
    for (int i = 0; i < Pack<T>::size; ++i) v.of[i] = narrow<T>(x[i]);
  }
  return v;
}

// kCount numbers from p on, `step` apart; a pack where kCount is one and they lie side by side.
template <int kCount, class T>
__device__ inline void read(const T* p, int64_t step, Compute<T>* out) {
  if constexpr (kCount == Pack<T>::size) {
    const Pack<T> v = load_pack(p);
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = wide(v.of[i]);
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = wide(p[i * step]);
  }
}
template <int kCount, class T>
__device__ inline void write(T* p, int64_t step, const Compute<T>* x) {
  if constexpr (kCount == Pack<T>::size) {
    store_pack(p, pack<T>(x));
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) p[i * step] = narrow<T>(x[i]);
  }
}

// A number of a tensor whose type is known when the kernel runs.
template <class C>
__device__ inline C read_as(DType dtype, const void* data, int64_t at) {
  switch (dtype) {
    case DType::f32:
      return static_cast<C>(static_cast<const float*>(data)[at]);
    case DType::f64:
      return static_cast<C>(static_cast<const double*>(data)[at]);
    case DType::f16:
      return static_cast<C>(wide(static_cast<const F16*>(data)[at]));
    default:
      return static_cast<C>(wide(static_cast<const BF16*>(data)[at]));
  }
}

// The same to write, rounded once.
template <class C>
__device__ inline void write_as(DType dtype, void* data, int64_t at, C x) {
  switch (dtype) {
    case DType::f32:
      static_cast<float*>(data)[at] = static_cast<float>(x);
      break;
    case DType::f64:
      static_cast<double*>(data)[at] = static_cast<double>(x);
      break;
    case DType::f16:
      static_cast<F16*>(data)[at] = narrow<F16>(static_cast<float>(x));
      break;
    default:
      static_cast<BF16*>(data)[at] = narrow<BF16>(static_cast<float>(x));
  }
}

// kCount floats of a row that is kept; 16 bytes at a time where they lie so.
template <int kCount>
__device__ inline void read_floats(const float* from, float* out) {
  if (kCount % 4 == 0 && reinterpret_cast<uintptr_t>(from) % 16 == 0) {
#pragma unroll
    for (int i = 0; i < kCount / 4; ++i) {
      const float4 v = reinterpret_cast<const float4*>(from)[i];
      out[4 * i] = v.x, out[4 * i + 1] = v.y, out[4 * i + 2] = v.z, out[4 * i + 3] = v.w;
    }
  } else {
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = from[i];
  }
}

template <class C>
__device__ inline C not_a_number() {
  return static_cast<C>(__uint_as_float(0x7fc00000u));
}

}  // namespace posenc::cuda
