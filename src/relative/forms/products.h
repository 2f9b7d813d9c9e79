// products.h: products of rows that query and key have by their positions, and a bucket's number.
#pragma once

#include "relative/forms/table.h"

namespace posenc::forms {

// scale * a[head, row of the query] . b[head, row of the key] + table[bucket, head]. The block
// holds a and b, [heads, rows, dim] each, then the table and the bounds of its buckets.
struct Products {
  int64_t heads = 0, rows = 0, dim = 0;
  bool class_token = false;
  double scale = 1;
  int64_t table = -1;  // where it lies in the block; -1: there is none
  Buckets buckets{};
  const double* block = nullptr;

  struct Inputs {
    int64_t a, b, bucket;  // rows
  };
  POSENC_BOTH int64_t row(double position) const {
    const int64_t last = rows - 1, first = class_token ? 1 : 0;
    const double p = position < 0 ? 0 : position;
    return p < static_cast<double>(last - first) ? static_cast<int64_t>(p) + first : last;
  }
  POSENC_BOTH Inputs at(double query, double key, double*) const {
    if (class_token && query == 0) return {0, 0, buckets.count};
    if (class_token && key == 0) return {1, 1, 2 * buckets.count};
    const int64_t distance = static_cast<int64_t>(key - query);
    return {row(query), row(key), table < 0 ? 0 : buckets.row(block, distance)};
  }

  // Where rows and the bucket's number lie in the block.
  POSENC_BOTH int64_t row_a(int64_t head, const Inputs& at) const {
    return (head * rows + at.a) * dim;
  }
  POSENC_BOTH int64_t row_b(int64_t head, const Inputs& at) const {
    return ((heads + head) * rows + at.b) * dim;
  }
  POSENC_BOTH int64_t entry(int64_t head, const Inputs& at) const {
    return table + at.bucket * heads + head;
  }

  POSENC_BOTH double bias(int64_t head, const Inputs& at) const {
    const double *a = block + row_a(head, at), *b = block + row_b(head, at);
    double sum = 0;
    for (int64_t f = 0; f < dim; ++f) sum += a[f] * b[f];
    return scale * sum + (table < 0 ? 0 : block[entry(head, at)]);
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange some, const Inputs& at, const double* g,
                            const Add& add) const {
    each_head(some, g, [&](int64_t head, double gh) {
      const int64_t a = row_a(head, at), b = row_b(head, at);
      for (int64_t f = 0; f < dim; ++f) {
        add(a + f, gh * scale * block[b + f]);
        add(b + f, gh * scale * block[a + f]);
      }
      if (table >= 0) add(entry(head, at), gh);
    });
  }
};

}  // namespace posenc::forms
