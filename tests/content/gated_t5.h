// gated_t5.h: WavLM's gated buckets, score by score as the paper writes it, and small ones for 3
// heads.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

inline std::vector<Content> small(const GatedT5&) {
  return {GatedT5{.dim = 6, .heads = 3, .buckets = 12, .max_distance = 20}};
}

// T5's bucket by the plain logarithm, kept clear of its roundings.
inline int64_t plain_bucket(const GatedT5& s, int64_t distance) {
  const int64_t side = s.buckets / 2, exact = side / 2, size = std::abs(distance);
  int64_t bucket = size;
  if (size >= exact) {
    const long double t = std::log(static_cast<long double>(size) / exact) /
                          std::log(static_cast<long double>(s.max_distance) / exact) *
                          (side - exact);
    bucket = std::min(exact + static_cast<int64_t>(t + 1e-12L), side - 1);
  }
  return bucket + (distance > 0 ? side : 0);
}

// The gate is made in f64 in any case, of sums of 4 dim numbers.
inline Sum term(const GatedT5& s, const Stand& t, const At& a) {
  double sums[2] = {0, 0};
  for (int64_t o = 0; o < 8; ++o) {
    sums[o / 4] += t.weight(2, o);
    for (int64_t c = 0; c < s.dim; ++c)
      sums[o / 4] += t.weight(1, o * s.dim + c) * t.q_at(a.row, a.query, a.head, c);
  }
  const double g_a = 1 / (1 + std::exp(-sums[0])), g_b = 1 / (1 + std::exp(-sums[1]));
  const double gate = g_a * (g_b * t.weight(3, a.model_head) - 1) + 2;
  Sum out{.length = static_cast<double>(8 * s.dim)};
  out.add(gate * t.weight(0, plain_bucket(s, a.key_at - a.query_at) * s.heads + a.model_head));
  return out;
}

}  // namespace posenc
