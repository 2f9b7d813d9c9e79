// kerple_weight.h: KERPLE's kernel as a factor, score by score as the paper writes it, and small
// ones for 3 heads.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

inline std::vector<Content> small(const KerpleWeight&) { return {KerpleWeight{.heads = 3}}; }

// What the kernel takes away of the score.
inline Sum term(const KerpleWeight& s, const Stand& t, const At& a) {
  double x = t.weight(0, a.model_head), p = t.weight(1, a.model_head);
  if (s.clamp) x = std::max(x, 0.01), p = std::min(std::max(p, 0.01), 2.0);
  const double r = std::abs(static_cast<double>(a.key_at - a.query_at));
  const double score = get(t.scores.view(), t.score(a.row, a.head, a.query, a.key));
  Sum out;
  out.add(score * std::expm1(-x * std::pow(r, p)));
  return out;
}

}  // namespace posenc
