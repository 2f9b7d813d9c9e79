// turning.h: heads of queries or keys as the rotary drivers walk over them.
#pragma once

#include "base/batch.h"
#include "cpu/kernels/rotate.h"
#include "orders.h"

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

// Turns a part by cosines and sines which all its heads share.
inline void turn_part(const TurnSpan& span, Layout layout, const Batch& in, const Batch& out,
                      const Part& part, const Angles& angles, bool far = false) {
  const int64_t pairs = span.pairs / span.blocks;
  const DType dtype = in.t.dtype;
  for (int64_t b = 0; b < span.blocks; ++b) {
    Angles by = angles;
    by.cosines = static_cast<const char*>(by.cosines) + b * pairs * size_of(compute_type(dtype));
    const int64_t feature = span.first + 2 * b * pairs;
    rotate(dtype, layout, pairs, heads_at(in, part.row, part.token, part.head, feature),
           heads_at(out, part.row, part.token, part.head, feature), part.tokens, part.heads, by,
           far);
  }
}

}  // namespace posenc::cpu
