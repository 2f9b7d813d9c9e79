// rows.h: kernels that apply table rows to a tensor.
#pragma once

#include "base/batch.h"
#include "posenc/tensor.h"

namespace posenc::cpu {

// A part of a row-major table: rows [.., ld], of dtype.
struct Rows {
  void* data;
  DType dtype;
  int64_t ld;
};

// Rows that lie anywhere, their elements `column` apart, and a factor on them.
struct Scattered {
  void* const* row;
  int64_t column;
  double scale;
};

// out = x + table; the table is of the compute type of dtype. fetch_ahead: x lies in memory
// rather than in a cache.
void add_rows(DType dtype, RowBlock x, Rows table, RowBlock out, int64_t rows, int64_t columns,
              bool fetch_ahead = false);

// out = scale * x + table.
void scale_add_rows(DType dtype, Scattered x, Rows table, RowBlock out, int64_t rows,
                    int64_t columns);

// sum += scale * x, row after row; sum is of the compute type of dtype, a row may come twice.
void accumulate_rows(DType dtype, RowBlock x, Scattered sum, int64_t rows, int64_t columns);

// out = scale * x, rounded to the type `to`; out is contiguous.
void scale_row(DType from, RowBlock x, double scale, DType to, void* out, int64_t columns);

// out = table.
void copy_rows(Rows table, RowBlock out, int64_t rows, int64_t columns);

}  // namespace posenc::cpu
