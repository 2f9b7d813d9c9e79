// segments.h: XLNet's rows of segments, score by score as the paper writes it, and small ones for 3
// heads.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

inline std::vector<Content> small(const Segments&) {
  return {Segments{.dim = 6, .heads = 3},
          Segments{.dim = 5, .heads = 3, .rows = SegmentRows::other_first, .joined = 2}};
}

inline Sum term(const Segments& s, const Stand& t, const At& a) {
  const bool joined = s.joined >= 0 && (a.query_at == s.joined || a.key_at == s.joined);
  const bool same = a.query_at == a.key_at || joined;
  const int64_t row = same == (s.rows == SegmentRows::same_first) ? 0 : 1;
  Sum out{.length = static_cast<double>(s.dim)};
  for (int64_t c = 0; c < s.dim; ++c) {
    const double x = t.weight(0, (row * s.heads + a.model_head) * s.dim + c);
    out.add(t.q_at(a.row, a.query, a.head, c) * x);
    out.add(t.weight(1, a.model_head * s.dim + c) * x);
  }
  return out;
}

}  // namespace posenc
