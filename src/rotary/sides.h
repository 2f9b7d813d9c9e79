// sides.h: queries and keys as the rotary verbs walk over them.
#pragma once

#include "base/batch.h"
#include "cpu/kernels/rotate.h"
#include "rotary/plan.h"

namespace posenc {

// Queries or keys, [rows, tokens, heads, dim], on their way from `in` to `out`.
struct Side {
  Batch in, out;
  bool is_query;
  int64_t first_head, heads;  // those that turn

  Side(const Tensor& from, const Tensor& to, bool query, int64_t first, int64_t turning)
      : in(from, 3), out(to, 3), is_query(query), first_head(first), heads(turning) {}
};

// Feature `feature` of head `head` of a token, and from there on.
inline cpu::Heads heads_at(const Batch& batch, int64_t row, int64_t token, int64_t head,
                           int64_t feature) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, token)) +
               (head * t.step(-2) + feature * t.step(-1)) * size_of(t.dtype);
  return {data, t.step(-3), t.step(-2), t.step(-1)};
}

struct Sides {
  std::optional<Side> both[2];  // queries, keys
  int64_t rows = 0, tokens = 0, bytes = 0;
  DType dtype = DType::f32;
  bool far() const { return is_far(bytes); }
};

// Checks what a verb was given: fitting tensors, positions and magnitudes.
Sides check_sides(const char* verb, const RotaryPlan& plan, const QueriesKeys& in,
                  const QueriesKeys& out, const Positions& at);

// What is turned at once.
struct Part {
  int64_t row, token, tokens, head, heads;
};

// Turns a part by cosines and sines which all its heads share.
void turn_part(const Rope& rope, Layout layout, const Batch& in, const Batch& out, const Part& part,
               const cpu::Angles& angles, bool far = false);

}  // namespace posenc
