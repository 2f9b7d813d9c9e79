// blocks.h: rows of queries, keys and scores in the compute type, a few queries at a time.
#pragma once

#include <algorithm>
#include <vector>

#include "base/dispatch.h"
#include "base/half.h"
#include "content/call.h"
#include "relative/call.h"

namespace posenc {

// So many queries that their scores stay in the cache.
inline int64_t queries_at_once(int64_t keys) {
  return std::clamp<int64_t>((int64_t{1} << 17) / std::max<int64_t>(keys, 1), 4, 64);
}

// Tokens of one head of [..., tokens, heads, dim], from `token` on.
inline cpu::Block head_at(const Batch& batch, int64_t row, int64_t token, int64_t head) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, token)) + head * t.step(-2) * size_of(t.dtype);
  return {data, t.step(-3), t.step(-1)};
}

// out [rows, columns] = scale * x.
template <class C>
void read_rows(DType dtype, cpu::Block x, double scale, C* out, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r) {
    auto* data = static_cast<char*>(x.data) + r * x.row * size_of(dtype);
    cpu::scale_row(dtype, {data, 0, x.column}, scale, dtype_of<C>, out + r * columns, columns);
  }
}

// out = x [rows, columns], rounded.
template <class C>
void write_rows(const C* x, DType dtype, cpu::Block out, int64_t rows, int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r) {
      T* to = static_cast<T*>(out.data) + r * out.row;
      const cpu::Block from{const_cast<C*>(x + r * columns), 0, 1};
      if (out.column == 1) {
        cpu::scale_row(dtype_of<C>, from, 1, dtype, to, columns);
      } else {
        for (int64_t c = 0; c < columns; ++c)
          to[c * out.column] = rounded_to<T>(static_cast<Compute<T>>(x[r * columns + c]));
      }
    }
  });
}

// out += scale * x [rows, columns]; out is of type C.
template <class C, class X>
void add_rows(const X* x, double scale, cpu::Block out, int64_t rows, int64_t columns) {
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t c = 0; c < columns; ++c)
      static_cast<C*>(out.data)[r * out.row + c * out.column] +=
          static_cast<C>(static_cast<X>(scale) * x[r * columns + c]);
}

// What a term reads, for one head of a batch row.
template <class C>
class Blocks {
 public:
  Blocks(const ContentCall& call, const ContentInputs& in, int64_t row, int64_t head)
      : call_(call), q_(in.q, 3), row_(row), head_(head) {
    const int64_t keys = call.keys.tokens, dim = call.reads.dim;
    if (call.reads.k) {
      k_.resize(static_cast<size_t>(keys * dim));
      read_rows(in.k.dtype, head_at(Batch(in.k, 3), row, 0, head), 1, k_.data(), keys, dim);
    }
    if (call.reads.gates) {
      gates_.resize(static_cast<size_t>(keys));
      const Tensor& t = in.gates;
      const Batch gates(t, 2);
      read_rows(t.dtype, {gates.at(row, 0, head), 0, t.step(-2)}, 1, gates_.data(), 1, keys);
    }
    for (int64_t t = 0; t < keys; ++t) key_at_.push_back(call.keys.value(row, t));
  }

  // Queries [first, first + count); it lives until the next call.
  TermBlock<C> at(int64_t first, int64_t count) {
    const int64_t ahead = first + count < call_.queries.tokens ? 1 : 0;
    if (call_.reads.q) {
      q_rows_.resize(static_cast<size_t>((count + ahead) * call_.reads.dim));
      read_rows(q_.t.dtype, head_at(q_, row_, first, head_), 1, q_rows_.data(), count + ahead,
                call_.reads.dim);
    }
    query_at_.clear();
    for (int64_t t = first; t < first + count; ++t)
      query_at_.push_back(call_.queries.value(row_, t));
    return {call_.term.first_head + head_,
            count,
            call_.keys.tokens,
            call_.reads.dim,
            ahead,
            call_.reads.q ? q_rows_.data() : nullptr,
            call_.reads.k ? k_.data() : nullptr,
            call_.reads.gates ? gates_.data() : nullptr,
            query_at_.data(),
            key_at_.data(),
            call_.causal,
            call_.scale_after};
  }

 private:
  const ContentCall& call_;
  Batch q_;
  int64_t row_, head_;
  std::vector<C> q_rows_, k_, gates_;
  std::vector<double> query_at_, key_at_;
};

// Sets scores of keys after the query, where they are to be hidden.
template <class C>
void hide(const TermBlock<C>& block, C value, C* scores) {
  if (!block.causal) return;
  for (int64_t i = 0; i < block.queries; ++i)
    for (int64_t j = 0; j < block.keys; ++j)
      if (block.key_at[j] > block.query_at[i]) scores[i * block.keys + j] = value;
}

}  // namespace posenc
