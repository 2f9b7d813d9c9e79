// tensor.h: a non-owning view of an n-dimensional array.
//
// A Tensor has the same fields as a DLPack tensor: data, element type, device, shape and strides.
// It never allocates or frees. Strides are in elements and may be any numbers, including negative.
#pragma once

#include <array>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "posenc/error.h"

namespace POSENC_PUBLIC posenc {

// f32, f64, f16 and bf16 are for activations and weights, i32 and i64 for ids and positions.
enum class DType : uint8_t { f32, f64, f16, bf16, i32, i64 };
enum class Device : uint8_t { cpu, cuda };

// Sixteen-bit floats as stored in memory. Arithmetic on them is done in f32.
struct F16 {
  uint16_t bits;
};
struct BF16 {
  uint16_t bits;
};

namespace detail {
template <class T>
struct dtype_of_t;
template <>
struct dtype_of_t<float> : std::integral_constant<DType, DType::f32> {};
template <>
struct dtype_of_t<double> : std::integral_constant<DType, DType::f64> {};
template <>
struct dtype_of_t<F16> : std::integral_constant<DType, DType::f16> {};
template <>
struct dtype_of_t<BF16> : std::integral_constant<DType, DType::bf16> {};
template <>
struct dtype_of_t<int32_t> : std::integral_constant<DType, DType::i32> {};
template <>
struct dtype_of_t<int64_t> : std::integral_constant<DType, DType::i64> {};
}  // namespace detail
template <class T>
inline constexpr DType dtype_of = detail::dtype_of_t<std::remove_const_t<T>>::value;

constexpr int64_t size_of(DType dtype) {
  constexpr int64_t bytes[] = {4, 8, 2, 2, 4, 8};
  return bytes[static_cast<int>(dtype)];
}
constexpr std::string_view to_string(DType dtype) {
  constexpr std::string_view names[] = {"f32", "f64", "f16", "bf16", "i32", "i64"};
  return dtype <= DType::i64 ? names[static_cast<int>(dtype)] : "an unknown type";
}
constexpr bool is_float(DType dtype) { return dtype <= DType::bf16; }
constexpr bool is_integer(DType dtype) { return dtype == DType::i32 || dtype == DType::i64; }

// The type of sums and of tables: f64 for f64, otherwise f32.
template <class T>
using Compute = std::conditional_t<std::is_same_v<T, double>, double, float>;
constexpr DType compute_type(DType dtype) { return dtype == DType::f64 ? DType::f64 : DType::f32; }

inline constexpr int max_rank = 8;
using Dims = std::array<int64_t, max_rank>;

struct Tensor {
  void* data = nullptr;
  DType dtype = DType::f32;
  Device device = Device::cpu;
  int rank = 0;
  Dims shape{}, stride{};
  bool read_only = false;  // must not be an output
  int device_index = 0;    // index of the device

  // Size of axis i; negative i counts from the end.
  int64_t size(int i) const { return shape[static_cast<size_t>(i < 0 ? rank + i : i)]; }
  int64_t step(int i) const { return stride[static_cast<size_t>(i < 0 ? rank + i : i)]; }
  int64_t elements() const {
    int64_t n = 1;
    for (int i = 0; i < rank; ++i) n *= size(i);
    return n;
  }
};

// The stream for work on CUDA tensors: a cudaStream_t; null is CUDA's default stream. Calls return
// before the work is done. Ignored on the CPU.
struct Stream {
  void* handle = nullptr;
  Stream() = default;
  Stream(void* cuda_stream) : handle(cuda_stream) {}  // NOLINT: a cudaStream_t is one
};

// "f32 [2, 10, 512]", for messages.
std::string describe(const Tensor& t);

// Wraps contiguous row-major memory; const memory is read-only.
Tensor tensor(void* data, DType dtype, std::span<const int64_t> shape);
template <class T>
Tensor tensor(T* data, std::span<const int64_t> shape) {
  Tensor t = tensor(const_cast<std::remove_const_t<T>*>(data), dtype_of<T>, shape);
  t.read_only = std::is_const_v<T>;
  return t;
}
template <class T>
Tensor tensor(T* data, std::initializer_list<int64_t> shape) {
  return tensor(data, std::span(shape.begin(), shape.size()));
}

// A view with axis order[i] as axis i; nothing is copied. {0, 2, 1, 3} turns memory with the order
// [batch, heads, tokens, dim] into the [batch, tokens, heads, dim] that functions expect.
Tensor permuted(const Tensor& t, std::initializer_list<int> order);

}  // namespace posenc
