// views.h: tensors of any strides, and where tokens stand, as kernels read them.
#pragma once

#include "base/places.h"
#include "cuda/runtime.h"

namespace posenc::cuda {

// n / d and n % d of what is not negative; in 32 bits where it fits them, which is much faster.
struct Divided {
  int64_t quotient, rest;
};
__device__ inline Divided divided(int64_t n, int64_t d) {
  if ((n | d) >> 32 == 0) {
    const uint32_t a = static_cast<uint32_t>(n), b = static_cast<uint32_t>(d), q = a / b;
    return {static_cast<int64_t>(q), static_cast<int64_t>(a - q * b)};
  }
  return {n / d, n % d};
}

// The same by a divisor that is known before: for n below 2^31 by a multiplication.
struct Divider {
  int64_t d = 1;
  uint32_t factor = 0, shift = 0;

  Divider() = default;
  explicit Divider(int64_t divisor) : d(divisor) {
    if (d >> 31 != 0) {
      shift = 31;  // all quotients are 0
      return;
    }
    while ((int64_t{1} << shift) < d) ++shift;
    const auto by = static_cast<uint64_t>(d);
    factor = static_cast<uint32_t>(((uint64_t{1} << 32) * ((uint64_t{1} << shift) - by)) / by + 1);
  }
  __device__ uint32_t divide(uint32_t n) const {
    return static_cast<uint32_t>((static_cast<uint64_t>(n) * factor >> 32) + n) >> shift;
  }
  __device__ Divided operator()(int64_t n) const {
    if (n >> 31 != 0) return {n / d, n % d};
    const uint32_t q = divide(static_cast<uint32_t>(n));
    return {q, static_cast<int64_t>(static_cast<uint32_t>(n) - q * static_cast<uint32_t>(d))};
  }
};

// An i32 or an i64 of a tensor: found, asked for without a branch, at whose end it would be waited
// for, and put together when it is needed.
struct Integer {
#ifdef __CUDACC__
  const int32_t* at;
  bool is_i32;
  int32_t low, next;
  __device__ Integer(const void* data, bool i32, int64_t n)
      : at(static_cast<const int32_t*>(data) + (i32 ? n : 2 * n)), is_i32(i32) {}
  __device__ void ask() { low = at[0], next = at[is_i32 ? 0 : 1]; }
  __device__ int64_t value() const {
    return static_cast<int64_t>(is_i32 ? low >> 31 : next) << 32 | static_cast<uint32_t>(low);
  }
#else
  const void* data;
  bool is_i32;
  int64_t n, all = 0;
  Integer(const void* p, bool i32, int64_t at) : data(p), is_i32(i32), n(at) {}
  void ask() {
    all = is_i32 ? static_cast<const int32_t*>(data)[n] : static_cast<const int64_t*>(data)[n];
  }
  int64_t value() const { return all; }
#endif
};
__device__ inline int64_t read_integer(const void* data, bool is_i32, int64_t n) {
  Integer x(data, is_i32, n);
  x.ask();
  return x.value();
}

// [..., then `trailing` axes]: the axes before those, seen as rows; axes that lie one inside the
// other are one.
struct View {
  char* data = nullptr;
  DType dtype = DType::f32;
  int axes = 0;
  int64_t size[max_rank] = {}, step[max_rank] = {};  // of the batch, the last axis first
  int64_t last[3] = {};                              // steps of the trailing axes
  int64_t rows = 1;

  View() = default;
  View(const Tensor& t, int trailing) : data(static_cast<char*>(t.data)), dtype(t.dtype) {
    for (int i = 0; i < trailing; ++i) last[i] = t.step(i - trailing);
    for (int i = t.rank - trailing - 1; i >= 0; --i) {
      rows *= t.size(i);
      if (t.size(i) == 1) continue;
      if (axes > 0 && t.step(i) == step[axes - 1] * size[axes - 1]) {
        size[axes - 1] *= t.size(i);
      } else {
        size[axes] = t.size(i), step[axes] = t.step(i), ++axes;
      }
    }
  }

  // Where a row of the batch begins, in elements.
  __host__ __device__ int64_t offset(int64_t row) const {
    if (axes == 1) return row * step[0];
    int64_t at = 0;
    for (int i = 0; i < axes; ++i) {
      at += row % size[i] * step[i];
      row /= size[i];
    }
    return at;
  }
  template <class T>
  __device__ T* at(int64_t row) const {
    return reinterpret_cast<T*>(data) + offset(row);
  }
  // Whether every piece of 16 bytes along the last axis, of which there are whole ones, is aligned.
  bool aligned(int trailing) const {
    const int64_t bytes = size_of(dtype);
    bool all = last[trailing - 1] == 1 && reinterpret_cast<uintptr_t>(data) % 16 == 0;
    for (int i = 0; i < axes; ++i) all = all && step[i] * bytes % 16 == 0;
    for (int i = 0; i < trailing - 1; ++i) all = all && last[i] * bytes % 16 == 0;
    return all;
  }
};

// Positions [axes, rows, tokens].
struct DevicePlaces {
  enum class Kind : uint8_t { range, i32, i64, f64 } kind = Kind::range;
  int64_t first = 0;
  const void* ids = nullptr;
  int64_t axis = 0, row = 0, token = 0;  // steps

  DevicePlaces() = default;
  explicit DevicePlaces(const Places& p) : first(p.at.first) {
    if (p.at.is_range()) return;
    const Tensor& t = p.at.ids;
    kind = t.dtype == DType::i32 ? Kind::i32 : t.dtype == DType::i64 ? Kind::i64 : Kind::f64;
    ids = t.data, axis = t.step(0), token = t.step(2), row = t.size(1) == 1 ? 0 : t.step(1);
  }

  __host__ __device__ bool whole() const { return kind != Kind::f64; }
  __device__ int64_t at(int64_t a, int64_t r, int64_t t) const {
    return a * axis + r * row + t * token;
  }
  __device__ int64_t integer(int64_t a, int64_t r, int64_t t) const {
    if (kind == Kind::range) return first + t;
    return read_integer(ids, kind == Kind::i32, at(a, r, t));
  }
  __device__ double value(int64_t a, int64_t r, int64_t t) const {
    return whole() ? static_cast<double>(integer(a, r, t))
                   : static_cast<const double*>(ids)[at(a, r, t)];
  }
};

}  // namespace posenc::cuda
