// elements.h: the elements of a tensor as doubles, whatever its type and strides, and how far a
// result may be from the truth.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "tests/support/random.h"

namespace posenc {

inline constexpr DType float_types[] = {DType::f32, DType::f64, DType::f16, DType::bf16};

// The n-th element in row-major order.
inline void* element(const Tensor& t, int64_t n) {
  int64_t at = 0;
  for (int i = t.rank - 1; i >= 0; --i) {
    at += n % t.size(i) * t.step(i);
    n /= t.size(i);
  }
  return static_cast<char*>(t.data) + at * size_of(t.dtype);
}

inline double get(const Tensor& t, int64_t n) {
  const void* p = element(t, n);
  if (!is_float(t.dtype)) return static_cast<double>(integer(t.dtype, p));
  return dispatch(t.dtype, [&]<class T>() { return as_double(*static_cast<const T*>(p)); });
}

inline void set(const Tensor& t, int64_t n, double value) {
  void* p = element(t, n);
  if (t.dtype == DType::i32) return void(*static_cast<int32_t*>(p) = static_cast<int32_t>(value));
  if (t.dtype == DType::i64) return void(*static_cast<int64_t*>(p) = static_cast<int64_t>(value));
  dispatch(t.dtype,
           [&]<class T>() { *static_cast<T*>(p) = rounded_to<T>(static_cast<Compute<T>>(value)); });
}

inline std::vector<double> numbers(const Tensor& t) {
  std::vector<double> out;
  for (int64_t n = 0; n < t.elements(); ++n) out.push_back(get(t, n));
  return out;
}

inline void randomize(const Tensor& t, Random& random, double low = -1, double high = 1) {
  for (int64_t n = 0; n < t.elements(); ++n) set(t, n, random.real(low, high));
}
inline void randomize_ids(const Tensor& t, Random& random, int64_t low, int64_t high) {
  for (int64_t n = 0; n < t.elements(); ++n)
    set(t, n, static_cast<double>(random.integer(low, high)));
}

// The most that one rounding to the type changes a number of this size.
inline double half_ulp(DType dtype, double x) {
  constexpr int digits[] = {24, 53, 11, 8}, least[] = {-126, -1022, -14, -126};
  const auto i = static_cast<size_t>(dtype);
  const int exponent = x == 0 ? least[i] : std::max(std::ilogb(x), least[i]);
  return std::ldexp(1.0, exponent - digits[i]);
}

// The accuracy contract: how far an element of a table may be from the truth. A unit row is within
// 3.1e-8 in f32, which is one rounding (2.98e-8 below 1) and 1.2e-9; f16 and bf16 round that again.
inline double row_error(DType dtype, double truth, double amplitude = 1) {
  if (dtype == DType::f64) return 4e-16 * std::abs(amplitude);
  const double before = 1.2e-9 * std::abs(amplitude), size = std::abs(truth) + before;
  const double f32 = before + half_ulp(DType::f32, size);
  return dtype == DType::f32 ? f32 : f32 + half_ulp(dtype, size + f32);
}

// The same for a sum with a row: one rounding in the compute type, one to the type.
inline double sum_error(DType dtype, double truth, double amplitude = 1) {
  const DType compute = compute_type(dtype);
  const double row = row_error(compute, amplitude, amplitude), size = std::abs(truth) + row;
  const double sum = row + half_ulp(compute, size);
  return dtype == compute ? sum : sum + half_ulp(dtype, size + sum);
}

}  // namespace posenc
