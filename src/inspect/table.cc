// table.cc: reading the table.
#include "table.h"

#include <algorithm>
#include <atomic>
#include <cmath>

#include "base/bits.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"

namespace posenc::inspect {
namespace {

template <class T>
const T* element(const TableView& t, int64_t row, int64_t column) {
  return static_cast<const T*>(t.data) + row * t.row_step + column * t.column_step;
}

bool holds(DType dtype, double x) {
  if (dtype == DType::f64) return true;
  const auto single = static_cast<float>(x);
  if (dtype == DType::f16) return to_f32(to_f16(single)) == x;
  if (dtype == DType::bf16) return to_f32(to_bf16(single)) == x;
  return single == x;
}

struct RowFacts {
  bool finite = true, zero = true, as_first = true;
};

RowFacts facts_of(const double* row, const double* first, int64_t dim) {
  RowFacts out;
  for (int64_t c = 0; c < dim; ++c) {
    out.finite &= is_finite(row[c]);
    out.zero &= row[c] == 0;
    out.as_first &= row[c] == first[c];
  }
  return out;
}

}  // namespace

double TableView::at(int64_t row, int64_t column) const {
  return dispatch(dtype, [&]<class T>() { return as_double(*element<T>(*this, row, column)); });
}

void TableView::read_row(int64_t row, double* out) const {
  dispatch(dtype, [&]<class T>() {
    const T* from = element<T>(*this, row, 0);
    if (column_step == 1) {
      for (int64_t c = 0; c < dim; ++c) out[c] = as_double(from[c]);
    } else {
      for (int64_t c = 0; c < dim; ++c) out[c] = as_double(from[c * column_step]);
    }
  });
}

TableView Tables::operator[](size_t i) const {
  TableView out = first;
  out.data = static_cast<const char*>(first.data) + offsets[i] * size_of(first.dtype);
  return out;
}

Tables tables(const Tensor& t) {
  int rows_axis = t.rank - 2;  // of [5000, 1, 512] the rows are the first axis
  while (rows_axis > 0 && t.size(rows_axis) == 1) --rows_axis;
  Tables out{{t.data, t.dtype, t.size(rows_axis), t.size(-1), t.step(rows_axis), t.step(-1)}, {0}};
  for (int axis = 0; axis < rows_axis; ++axis) {
    std::vector<int64_t> all;
    for (int64_t at : out.offsets)
      for (int64_t i = 0; i < t.size(axis); ++i) all.push_back(at + i * t.step(axis));
    out.offsets = std::move(all);
  }
  return out;
}

bool equal(const TableView& a, const TableView& b) {
  std::vector<double> x(static_cast<size_t>(a.dim)), y(x.size());
  for (int64_t r = 0; r < a.rows; ++r) {
    a.read_row(r, x.data()), b.read_row(r, y.data());
    for (size_t c = 0; c < x.size(); ++c)
      if (x[c] != y[c] && (is_finite(x[c]) || is_finite(y[c]))) return false;
  }
  return true;
}

TableFacts look_at(const TableView& table) {
  constexpr int64_t block = 64;
  TableFacts out;
  out.usable.resize(static_cast<size_t>(table.rows));
  std::vector<double> first(static_cast<size_t>(table.dim));
  table.read_row(0, first.data());
  std::atomic<bool> constant{true}, finite{true};
  parallel_for((table.rows + block - 1) / block, table.rows * table.dim * 8, [&](int64_t b) {
    std::vector<double> row(first.size());
    for (int64_t r = b * block; r < std::min(table.rows, (b + 1) * block); ++r) {
      table.read_row(r, row.data());
      const RowFacts f = facts_of(row.data(), first.data(), table.dim);
      out.usable[static_cast<size_t>(r)] = f.finite && !f.zero;
      if (!f.as_first) constant = false;
      if (!f.finite) finite = false;
    }
  });
  out.constant = constant;
  for (int64_t r = 0; !finite && r < table.rows; ++r)
    for (int64_t c = 0; !out.usable[static_cast<size_t>(r)] && c < table.dim; ++c)
      if (!is_finite(table.at(r, c)) && out.not_finite++ == 0) out.bad_row = r, out.bad_column = c;
  return out;
}

double storage_error(DType dtype) {
  constexpr double errors[] = {0x1p-22, 0x1p-48, 0x1p-11, 0x1p-8};
  return errors[static_cast<size_t>(dtype)];
}

DType narrowest(DType stored, const std::vector<double>& values) {
  constexpr int64_t enough = 8;  // zeros and ones fit every type
  const auto telling = [](double x) { return x != 0 && std::abs(x) != 1; };
  if (size_of(stored) == 2 || std::count_if(values.begin(), values.end(), telling) < enough)
    return stored;
  for (DType type : {DType::bf16, DType::f16, DType::f32})
    if (std::all_of(values.begin(), values.end(), [&](double x) { return holds(type, x); }))
      return type;
  return stored;
}

}  // namespace posenc::inspect
