// rows.h: kernels that apply table rows to a tensor.
#pragma once

#include "posenc/tensor.h"

namespace posenc::cpu {

// A block of rows in memory: element (r, c) lies at data + r * row + c * column.
struct Block {
  void* data;
  int64_t row, column;
};

// out = x + table; table is contiguous, in the compute type of dtype, `ld` apart.
void add_rows(DType dtype, Block x, const void* table, int64_t ld, Block out, int64_t rows,
              int64_t columns);

// out = scale * x + table, for one row.
void scale_add_row(DType dtype, Block x, double scale, const void* table, Block out,
                   int64_t columns);

// out = scale * x, rounded to the type `to`; out is contiguous.
void scale_row(DType from, Block x, double scale, DType to, void* out, int64_t columns);

// out = rows of a contiguous table of the same type, `ld` apart.
void copy_rows(DType dtype, const void* table, int64_t ld, Block out, int64_t rows,
               int64_t columns);

// sum += scale * x, for one row; sum is of the compute type of dtype.
void accumulate_row(DType dtype, Block x, double scale, Block sum, int64_t columns);

}  // namespace posenc::cpu
