// shaw.h: Shaw's vectors, score by score as the paper writes it, and small ones for 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const Shaw&) {
  return {Shaw{.dim = 6, .left = 3, .right = 2},
          Shaw{.dim = 5, .heads = 3, .left = 3, .right = 2, .beyond = Beyond::zero}};
}

inline Sum term(const Shaw& s, const Stand& t, const At& a) {
  const int64_t d = a.key_at - a.query_at, rows = s.left + s.right + 1;
  if (s.beyond == Beyond::zero && (d < -s.left || d > s.right)) return {};
  const int64_t row = s.order == RowOrder::key_minus_query
                          ? clipped(d, -s.left, s.right) + s.left
                          : clipped(-d, -s.right, s.left) + s.right;
  return query_times_row(t, a, 0, row + (s.heads > 0 ? a.model_head * rows : 0));
}

}  // namespace posenc
