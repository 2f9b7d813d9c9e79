// forgetting.h: sums of forget gates, score by score as the paper writes it, and small ones for 3
// heads.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

inline std::vector<Content> small(const Forgetting&) {
  return {Forgetting{}, Forgetting{.side = ForgetSide::after, .gate_scale = 0.5}};
}

// The gates between the last key of the query and the key; sums of all gates are off by each.
inline Sum term(const Forgetting& s, const Stand& t, const At& a) {
  const bool before = s.side == ForgetSide::before;
  Sum out;
  if (before != (a.key <= a.last_key)) return out;
  for (int64_t j = 0; j < t.sizes.keys; ++j) {
    const double x = t.gate_at(a.row, j, a.head);
    const double f = s.gate_scale * (s.gates == ForgetGates::log ? x : -std::log1p(std::exp(-x)));
    if (j > std::min(a.key, a.last_key) && j <= std::max(a.key, a.last_key)) out.value += f;
    out.size += 2 * std::abs(f);
  }
  out.length = static_cast<double>(t.sizes.keys);
  return out;
}

}  // namespace posenc
