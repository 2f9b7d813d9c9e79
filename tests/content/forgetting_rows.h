// forgetting_rows.h: sums of gates that queries and keys make, score by score as the paper writes
// it, and small ones for 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const ForgettingRows&) {
  return {ForgettingRows{.dim = 6}, ForgettingRows{.dim = 5, .gate_scale = 0.5}};
}

// The gates of the query, from the key on, of all keys before it, which are in order. Each is off
// by the roundings of its product of up to 1, over the root of dim; half of that reaches its
// logarithm.
inline Sum term(const ForgettingRows& s, const Stand& t, const At& a) {
  const int64_t first_at = a.key_at - a.key;
  const int64_t before =
      a.keys_before >= 0 ? a.keys_before : clipped(a.query_at - first_at, 0, t.sizes.keys);
  Sum out;
  for (int64_t j = a.key; j < before; ++j) {
    double product = 0;
    for (int64_t c = 0; c < t.dim; ++c)
      product += t.q_at(a.row, a.query, a.head, c) * t.k_at(a.row, j, a.head, c);
    out.value -=
        s.gate_scale * std::log1p(std::exp(-product / std::sqrt(static_cast<double>(s.dim))));
    out.size += std::sqrt(static_cast<double>(s.dim)) + 2;
  }
  out.length = static_cast<double>(s.dim + t.sizes.keys);
  return out;
}

}  // namespace posenc
