// rotate_span.h: heads of queries or keys as the rotary drivers walk over them.
#pragma once

#include "base/batch.h"
#include "cpu/kernels/rotate.h"
#include "orders/orders.h"

namespace posenc::cpu {

struct Side {
  Batch in, out;
  int64_t first, count;  // heads that turn
  bool is_query;

  Side(const TurningHeads& h, bool query)
      : in(h.in, 3), out(h.out, 3), first(h.first), count(h.count), is_query(query) {}
  bool given() const { return in.t.rank > 0; }
  int64_t bytes() const { return given() ? in.t.elements() * size_of(in.t.dtype) : 0; }
};

// What is added to positions before rows are found.
inline double shift_of(const RowSource& rows) {
  if (rows.table) return static_cast<double>(rows.table->offset);
  return static_cast<double>(rows.waves.shift_whole) +
         static_cast<double>(rows.waves.shift_part) * 0x1p-64;
}

// Tokens of some heads of a batch row.
struct Part {
  int64_t row, token, tokens, head, heads;
};

// Feature `feature` of head `head` of a token, and from there on.
inline Heads heads_at(const Batch& batch, int64_t row, int64_t token, int64_t head,
                      int64_t feature) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, token)) +
               (head * t.step(-2) + feature * t.step(-1)) * size_of(t.dtype);
  return {data, t.step(-3), t.step(-2), t.step(-1)};
}

// Turns what of the heads a span says, by cosines and sines which they share; in and out are of
// their first features.
inline void rotate_span(const TurnSpan& span, Layout layout, DType dtype, Heads in, Heads out,
                        int64_t tokens, int64_t heads, Angles by, bool far = false) {
  if (tokens == 0 || heads == 0) return;
  const int64_t pairs = span.pairs / span.blocks, size = size_of(dtype);
  const auto advance = [&](Heads& x, int64_t features) {
    x.data = static_cast<char*>(x.data) + features * x.feature * size;
  };
  advance(in, span.first), advance(out, span.first);
  for (int64_t b = 0; b < span.blocks; ++b) {
    rotate(dtype, layout, pairs, in, out, tokens, heads, by, far);
    advance(in, 2 * pairs), advance(out, 2 * pairs);
    by.cosines = static_cast<const char*>(by.cosines) + pairs * size_of(compute_type(dtype));
  }
}

// The same for a part.
inline void rotate_part(const TurnSpan& span, Layout layout, const Batch& in, const Batch& out,
                        const Part& part, const Angles& angles, bool far = false) {
  rotate_span(span, layout, in.t.dtype, heads_at(in, part.row, part.token, part.head, 0),
              heads_at(out, part.row, part.token, part.head, 0), part.tokens, part.heads, angles,
              far);
}

}  // namespace posenc::cpu
