// cope.h: CoPE's rows at positions that gates count, score by score as the paper writes it, and
// small ones for 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const Cope&) {
  return {Cope{.dim = 6, .positions = 5}, Cope{.dim = 5, .positions = 4, .soft = 0.5}};
}

// All rows n with softmax(-|p - n| / soft); by a small step of p each moves by 1 / soft of itself.
inline Sum soft_read(const Cope& s, const Stand& t, const At& a, double p) {
  Sum out;
  double all = 0;
  for (int64_t n = 0; n < s.positions; ++n) {
    const double w = std::exp(-std::abs(p - static_cast<double>(n)) / s.soft);
    const Sum row = query_times_row(t, a, 0, n);
    out.value += w * row.value, out.size += row.size / s.soft, all += w;
  }
  out.value /= all;
  out.length = static_cast<double>(s.dim + t.sizes.keys + s.positions);
  return out;
}

// Without a scale, and with all keys in sight. A position is a sum of gates, each off by a quarter
// of a rounding of its score, and moves the term by the steps of z = E q.
inline Sum term(const Cope& s, const Stand& t, const At& a) {
  double p = 0;
  for (int64_t j = a.key; j < t.sizes.keys; ++j)
    p += 1 / (1 + std::exp(-get(t.scores.view(), t.score(a.row, a.head, a.query, j))));
  p = std::min(p, static_cast<double>(s.positions - 1));
  if (s.soft > 0) return soft_read(s, t, a, p);
  const double w = p - std::floor(p);
  const Sum low = query_times_row(t, a, 0, static_cast<int64_t>(std::floor(p)));
  const Sum high = query_times_row(t, a, 0, static_cast<int64_t>(std::ceil(p)));
  Sum out;
  out.add(low, 1 - w), out.add(high, w);
  out.size = low.size + high.size;
  out.length = static_cast<double>(s.dim + t.sizes.keys);
  return out;
}

}  // namespace posenc
