// sums.h: sums in a fixed order, so that a gradient has the same bits each time.
#pragma once

#include "cuda/element_types.h"
#include "cuda/views.h"

namespace posenc::cuda {

constexpr unsigned sum_threads = 256;

// kCount numbers of the type sums are done in, `step` apart; 16 bytes at a time where there are
// several, which then lie side by side.
template <int kCount, class C>
__device__ inline void read_sums(const C* p, int64_t step, C* out) {
  constexpr int most = Pack<C>::size;
  if constexpr (kCount == 1) {
    *out = *p;
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += most) read<most>(p + i, step, out + i);
  }
}
template <int kCount, class C>
__device__ inline void write_sums(C* p, int64_t step, const C* sums) {
  constexpr int most = Pack<C>::size;
  if constexpr (kCount == 1) {
    *p = *sums;
  } else {
#pragma unroll
    for (int i = 0; i < kCount; i += most) write<most>(p + i, step, sums + i);
  }
}

// The sum over the threads of a block, in the same order each time; once in a kernel.
__device__ inline double block_sum(double mine) {
  __shared__ double sums[sum_threads];
  sums[threadIdx.x] = mine;
  for (unsigned half = sum_threads / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
  }
  __syncthreads();
  return sums[0];
}

// The same over a warp; all of its lanes have it.
__device__ inline double warp_sum(double mine) {
  for (int step = 16; step > 0; step /= 2) mine += __shfl_xor_sync(~0u, mine, step);
  return mine;
}

// A gradient, f32 or f64, whose entries are counted row by row.
struct DeviceSum {
  View entries;

  DeviceSum() = default;
  explicit DeviceSum(const Tensor& t) : entries(t, 0) {}
  __device__ void add(int64_t entry, double value) const {
    const int64_t at = entries.offset(entry);
    if (entries.dtype == DType::f64) {
      reinterpret_cast<double*>(entries.data)[at] += value;
    } else {
      reinterpret_cast<float*>(entries.data)[at] += static_cast<float>(value);
    }
  }
};

// Rows [rows, dim] of sums that some rows are added to, times a factor.
struct SumRows {
  char* data = nullptr;
  int64_t row = 0, column = 1;  // steps
  double factor = 1;
  bool adds = true;  // to what is there

  SumRows() = default;
  SumRows(const Tensor& t, double scale)
      : data(static_cast<char*>(t.data)), row(t.step(0)), column(t.step(1)), factor(scale) {}
  template <class C>
  bool aligned() const {
    return column == 1 && row % Pack<C>::size == 0 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
  }
  template <class C>
  __device__ C* at(int64_t r, int64_t c) const {
    return reinterpret_cast<C*>(data) + r * row + c * column;
  }
  template <int kCount, class C>
  __device__ void add(int64_t r, int64_t c, const C* sums) const {
    C* to = at<C>(r, c);
    if (!adds) return write_sums<kCount>(to, column, sums);
    C out[kCount];
    read_sums<kCount>(to, column, out);
#pragma unroll
    for (int i = 0; i < kCount; ++i) out[i] = fma(static_cast<C>(factor), sums[i], out[i]);
    write_sums<kCount>(to, column, out);
  }
};

}  // namespace posenc::cuda
