// table.h: numbers on their way into a table of any type and strides.
#pragma once

#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"

namespace posenc::graph {

// [nodes, columns] of floats, or also of whole numbers; it may be written.
inline void check_table(std::string_view scheme, const Tensor& t, int64_t nodes, int64_t columns,
                        bool whole) {
  const std::string where(scheme);
  check_host_memory(where.c_str(), "table", t);
  if (t.rank != 2 || t.size(0) != nodes || t.size(1) != columns)
    fail(ErrorKind::tensor, where, "expected a table [", nodes, ", ", columns, "], got ",
         describe(t));
  if (!is_float(t.dtype) && !whole)
    fail(ErrorKind::tensor, where, "expected a table of f32, f64, f16 or bf16, got ", describe(t));
  check_output(where.c_str(), t);
}

inline void put(const Tensor& t, int64_t node, int64_t column, double value) {
  const int64_t at = node * t.step(0) + column * t.step(1);
  if (t.dtype == DType::i32) {
    static_cast<int32_t*>(t.data)[at] = static_cast<int32_t>(value);
  } else if (t.dtype == DType::i64) {
    static_cast<int64_t*>(t.data)[at] = static_cast<int64_t>(value);
  } else {
    dispatch(t.dtype, [&]<class T>() { static_cast<T*>(t.data)[at] = rounded_once<T>(value); });
  }
}

}  // namespace posenc::graph
