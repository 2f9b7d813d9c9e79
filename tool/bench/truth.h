// truth.h: compares what a case computed with the truth, here and there.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cmath>

#include "base/half.h"
#include "case.h"

namespace posenc::bench {

// A scattered number below 2^20; contenders/serve.py has the same.
inline int64_t scattered(int64_t i) { return (i * 2654435761 & 0xffffffff) >> 12; }

// A number and how far the plain computation of it may be off.
struct Truth {
  double value, doubt;
};

// The formula as written, in the widest type of the compiler.
inline Truth plain_row(int64_t position, int64_t column, int64_t dim) {
  const long double w = std::pow(
      10000.0L, -2.0L * static_cast<long double>(column / 2) / static_cast<long double>(dim));
  const long double angle = static_cast<long double>(position) * w;
  return {static_cast<double>(column % 2 ? std::cos(angle) : std::sin(angle)),
          static_cast<double>(4 * LDBL_EPSILON * static_cast<long double>(position))};
}

// How far a right result may be from the truth: the row's own error, or half the least step of f16;
// one rounding each of the factor, the sum and the result.
template <class T>
double allowed(const Truth& truth) {
  constexpr double row = sizeof(T) == 8 ? 4e-16 : sizeof(T) == 4 ? 3.1e-8 : 6.1e-8;
  constexpr double roundoff = sizeof(T) == 8                   ? 0x1p-53
                              : sizeof(T) == 4                 ? 0x1p-24
                              : std::is_same_v<T, posenc::F16> ? 0x1p-11
                                                               : 0x1p-8;
  return row + truth.doubt + 3 * roundoff * std::abs(truth.value);
}

// Compares the last element and scattered others of out [rows, dim] with truth(row, column).
template <class T, class TruthAt>
void check(const Case& c, const T* out, int64_t rows, const TruthAt& truth_at) {
  const int64_t n = rows * c.dim;
  for (int64_t i = 0; i < std::min<int64_t>(n, 2000); ++i) {
    const int64_t at = i == 0 ? n - 1 : scattered(i) * (i % 511 + 1) % n;
    const Truth truth = truth_at(at / c.dim, at % c.dim);
    const double got = as_double(out[at]);
    if (!(std::abs(got - truth.value) <= allowed<T>(truth)))
      fail("bench", "expected ", truth.value, " in row ", at / c.dim, ", column ", at % c.dim,
           " of '", name(c), "', got ", got);
  }
}

template <class T>
std::vector<double> head_of(const T* row) {
  return {as_double(row[0]), as_double(row[1]), as_double(row[2]), as_double(row[3])};
}

}  // namespace posenc::bench
