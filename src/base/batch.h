// batch.h: tensors [..., tokens, dim] of any strides, seen as rows of tokens.
#pragma once

#include "posenc/tensor.h"

namespace posenc {

// Whether so much is more than caches hold, so that fetching it ahead pays.
inline bool exceeds_caches(int64_t bytes) { return bytes > int64_t{16} * 1024 * 1024; }

// So many pieces of a size, the last perhaps smaller.
constexpr int64_t pieces(int64_t n, int64_t size) { return (n + size - 1) / size; }

// Where element n lies, in elements, counted row by row over the first `axes` axes.
inline int64_t offset_of(const Tensor& t, int64_t n, int axes) {
  int64_t at = 0;
  for (int i = axes - 1; i >= 0 && n != 0; --i, n /= t.size(i + 1)) at += n % t.size(i) * t.step(i);
  return at;
}
inline int64_t offset_of(const Tensor& t, int64_t n) { return offset_of(t, n, t.rank); }

// A block of rows in memory: element (r, c) lies at data + r * row + c * column.
struct RowBlock {
  void* data;
  int64_t row, column;
};

struct Batch {
  Tensor t;
  int trailing;  // axes after the batch axes: 2 for [..., tokens, dim], 1 for ids [..., tokens]
  int64_t rows = 1;

  Batch(const Tensor& tensor, int trailing_axes) : t(tensor), trailing(trailing_axes) {
    for (int i = 0; i < t.rank - trailing; ++i) rows *= t.size(i);
  }

  int64_t tokens() const { return t.size(-trailing); }
  bool exceeds_caches() const { return posenc::exceeds_caches(t.elements() * size_of(t.dtype)); }

  // Where a row of tokens begins, in elements.
  int64_t offset(int64_t row) const { return offset_of(t, row, t.rank - trailing); }

  void* at(int64_t row, int64_t token, int64_t column = 0) const {
    int64_t elements = offset(row) + token * t.step(-trailing);
    if (trailing == 2) elements += column * t.step(-1);
    return static_cast<char*>(t.data) + elements * size_of(t.dtype);
  }

  RowBlock block(int64_t row, int64_t token, int64_t column) const {
    return {at(row, token, column), t.step(-2), t.step(-1)};
  }
};

// An integer of an i32 or i64 tensor.
inline int64_t integer(DType dtype, const void* p) {
  return dtype == DType::i32 ? *static_cast<const int32_t*>(p) : *static_cast<const int64_t*>(p);
}

}  // namespace posenc
