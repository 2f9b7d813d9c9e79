// attend_values.h: Shaw's vectors of the distance in the values, for a block of queries.
#pragma once

#include "attend/call.h"

namespace posenc {

// The positions of `count` tokens of a batch row, from `first` on.
inline Positions part_of(const Positions& at, int64_t row, int64_t first, int64_t count) {
  if (at.is_range()) return range(at.first + first);
  Positions out = at;
  const int64_t step = (at.ids.size(1) == 1 ? 0 : row) * at.ids.step(1) + first * at.ids.step(2);
  out.ids.data = static_cast<char*>(at.ids.data) + step * size_of(at.ids.dtype);
  out.ids.shape[1] = 1, out.ids.shape[2] = count;
  return out;
}

// sums [count, value_dim] += weights [count, ld] times the vectors of the first `keys` keys.
template <class C>
void add_values(const AttendCall& call, const QueryBlock& b, int64_t keys, const C* weights,
                int64_t ld, C* sums) {
  Tensor p = tensor(weights, {1, b.count, keys});
  p.stride[1] = ld;
  const AttendOptions& o = call.options;
  add_to_outputs(*o.values, p, tensor(sums, {b.count, 1, call.value_dim()}),
                 {.queries = part_of(o.queries, b.row, b.first, b.count),
                  .keys = part_of(o.keys, b.row, 0, keys),
                  .first_head = o.first_head + b.head});
}

}  // namespace posenc
