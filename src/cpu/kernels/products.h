// products.h: small matrix products, f32 and f64.
//
// Every result is one sum in one order, whatever rows stand beside it: a query alone and the same
// query among others give the same bits.
#pragma once

#include <cstdint>

namespace posenc::cpu {

// Element (r, c) lies at data + r * row + c * column.
template <class C>
struct Matrix {
  C* data;
  int64_t row, column = 1;
};

// c[i, j] = sum over t of a[i, t] b[j, t]: rows of a times rows of b. a is [rows, inner], b
// [columns, inner], c [rows, columns]; the elements of a row lie side by side in all three.
template <class C>
void dot_rows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a, Matrix<const C> b,
              Matrix<C> c);

// c[i, j] += sum over t of a[i, t] b[t, j]: rows of b mixed by a. a is [rows, inner] of any
// strides, so it may be transposed; b is [inner, columns], c [rows, columns], their rows dense.
template <class C>
void mix_rows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a, Matrix<const C> b,
              Matrix<C> c);

}  // namespace posenc::cpu
