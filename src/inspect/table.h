// table.h: the table in question, [rows, dim] of any element type and strides, read as doubles.
#pragma once

#include <vector>

#include "posenc/tensor.h"

namespace posenc::inspect {

struct TableView {
  const void* data;
  DType dtype;
  int64_t rows, dim, row_step, column_step;

  double at(int64_t row, int64_t column) const;
  void read_row(int64_t row, double* out) const;
  TableView transposed() const { return {data, dtype, dim, rows, column_step, row_step}; }
};

// The table at one index of the axes before the last two; axes of size 1 between them vanish.
struct Tables {
  TableView first;
  std::vector<int64_t> offsets;  // in elements, of every table; offsets[0] is 0
  TableView operator[](size_t i) const;
};
Tables tables(const Tensor& t);
bool equal(const TableView& a, const TableView& b);

// What one look at every element tells.
struct TableFacts {
  int64_t not_finite = 0;               // elements
  int64_t bad_row = 0, bad_column = 0;  // of the first of them
  bool constant = true;                 // every row is the first row
  std::vector<uint8_t> usable;          // rows that are finite and not all zero
};
TableFacts look_at(const TableView& table);

// How far a stored number of size 1 may be from the truth: one unit in the last place in f16 and
// bf16, which are rounded from f32; four in f32, where the library's sine and a product with a
// scale are rounded too; 32 in f64, where what is measured here is rounded as much.
double storage_error(DType dtype);
// The type the numbers were in before they were stored, as far as they tell.
DType narrowest(DType stored, const std::vector<double>& values);

}  // namespace posenc::inspect
