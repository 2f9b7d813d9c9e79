// deberta.h: DeBERTa's rows of distances, score by score as the paper writes it, and small ones for
// 3 heads.
#pragma once

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const Deberta&) {
  return {Deberta{.dim = 6, .heads = 3, .buckets = 8, .max_distance = 16},
          Deberta{.dim = 5, .heads = 3, .buckets = 0, .max_distance = 7}};
}

// Buckets by the plain logarithm, kept clear of its roundings.
inline int64_t deberta_row(const Deberta& s, int64_t d) {
  const auto middle = static_cast<long double>(s.buckets) / 2;
  const auto size = static_cast<long double>(std::abs(d));
  int64_t bucket = d;
  if (s.buckets > 0 && size > middle) {
    const long double t =
        std::log(size / middle) / std::log((s.max_distance - 1) / middle) * (middle - 1);
    bucket = static_cast<int64_t>(std::ceil(t - 1e-12L) + middle) * (d < 0 ? -1 : 1);
  }
  const int64_t k = s.buckets > 0 ? s.buckets : s.max_distance;
  return clipped(bucket + k, 0, 2 * k - 1);
}

inline Sum term(const Deberta& s, const Stand& t, const At& a) {
  const int64_t k = s.buckets > 0 ? s.buckets : s.max_distance;
  const int64_t row = a.model_head * 2 * k + deberta_row(s, a.query_at - a.key_at);
  Sum out;
  if (s.c2p) out.add(query_times_row(t, a, 0, row), 1);
  for (int64_t c = 0; s.p2c && c < s.dim; ++c)
    out.add(t.k_at(a.row, a.key, a.head, c) * t.weight(s.c2p ? 1 : 0, row * s.dim + c));
  out.length = static_cast<double>(2 * s.dim);
  return out;
}

}  // namespace posenc
