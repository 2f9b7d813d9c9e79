// products.h: products of matrices, one for each head, whose sums run in a fixed order.
#pragma once

#include "cuda/runtime.h"

namespace posenc::cuda {

// One for each head: entry [row, column] of head h is data[h * head + row * down + column *
// across]. Where `a` of a product has no data its entries are 1.
template <class T>
struct Matrices {
  T* data = nullptr;
  int64_t head = 0, down = 0, across = 0;
};
struct ProductSize {
  int64_t heads, rows, columns, inner;
};

// out [rows, columns] = a [rows, inner] b [inner, columns], for each head; `more`: out += it. For
// float and double as far as they are used.
template <class A, class B, class Out>
void multiply(const DeviceStream& stream, const ProductSize& size, const Matrices<const A>& a,
              const Matrices<const B>& b, const Matrices<Out>& out, bool more = false);

}  // namespace posenc::cuda
