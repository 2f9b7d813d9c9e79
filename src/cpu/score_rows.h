// score_rows.h: rows of scores and of heads, and their way to the compute type and back.
#pragma once

#include "base/batch.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "cpu/kernels/rows.h"

namespace posenc::cpu {

// Scores of one head of a batch row, [..., heads, queries, keys], from `query` on.
inline RowBlock scores_at(const Batch& batch, int64_t row, int64_t head, int64_t query) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, head)) + query * t.step(-2) * size_of(t.dtype);
  return {data, t.step(-2), t.step(-1)};
}

// Tokens of one head of a batch row, [..., tokens, heads, dim], from `token` on.
inline RowBlock head_at(const Batch& batch, int64_t row, int64_t token, int64_t head) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, token)) + head * t.step(-2) * size_of(t.dtype);
  return {data, t.step(-3), t.step(-1)};
}

// Gates of one head of a batch row, [..., keys, heads], as a column.
inline RowBlock gates_at(const Batch& batch, int64_t row, int64_t head) {
  return {batch.at(row, 0, head), batch.t.step(-2), 1};
}

// out [rows, columns] = scale * x.
template <class C>
void read_rows(DType dtype, RowBlock x, double scale, C* out, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    auto* data = static_cast<char*>(x.data) + r * x.row * size_of(dtype);
    scale_row(dtype, {data, 0, x.column}, scale, dtype_of<C>, out + r * columns, columns);
  }
}
// The same for a column.
template <class C>
void read_column(DType dtype, RowBlock x, C* out, int64_t rows) {
  scale_row(dtype, {x.data, 0, x.row}, 1, dtype_of<C>, out, rows);
}

// out = x [rows, columns], rounded.
template <class C>
void write_rows(const C* x, DType dtype, RowBlock out, int64_t rows, int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r) {
      T* to = static_cast<T*>(out.data) + r * out.row;
      const RowBlock from{const_cast<C*>(x + r * columns), 0, 1};
      if (out.column == 1) {
        scale_row(dtype_of<C>, from, 1, dtype, to, columns);
      } else {
        for (int64_t c = 0; c < columns; ++c)
          to[c * out.column] = rounded_to<T>(static_cast<Compute<T>>(x[r * columns + c]));
      }
    }
  });
}

// out += scale * x [rows, columns]; out is of type C.
template <class C, class X>
void add_to_rows(const X* x, double scale, RowBlock out, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      static_cast<C*>(out.data)[r * out.row + c * out.column] +=
          static_cast<C>(static_cast<X>(scale) * x[r * columns + c]);
}

}  // namespace posenc::cpu
