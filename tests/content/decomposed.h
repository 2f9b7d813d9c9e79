// decomposed.h: SAM's rows of heights and widths, score by score as the paper writes it, and small
// ones for 3 heads.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

inline std::vector<Content> small(const Decomposed&) {
  return {Decomposed{.dim = 6, .height = 5, .width = 7}, Decomposed{.dim = 5,
                                                                    .height = 6,
                                                                    .width = 8,
                                                                    .key_height = 3,
                                                                    .key_width = 11,
                                                                    .table_height = 4,
                                                                    .table_width = 14}};
}

// The row of SAM's code for places on a side, kept clear of its roundings.
inline int64_t side_row(int64_t query, int64_t key, int64_t queries, int64_t keys) {
  const double q = std::max(static_cast<double>(keys) / static_cast<double>(queries), 1.0);
  const double k = std::max(static_cast<double>(queries) / static_cast<double>(keys), 1.0);
  return static_cast<int64_t>(static_cast<double>(query) * q - static_cast<double>(key) * k +
                              static_cast<double>(keys - 1) * k + 1e-9);
}

// q . row of a table [trained, dim] that is resized to so many rows.
inline Sum query_times_resized(const Stand& t, const At& a, size_t weight, int64_t trained,
                               int64_t rows, int64_t row) {
  const double place =
      (static_cast<double>(row) + 0.5) * static_cast<double>(trained) / static_cast<double>(rows) -
      0.5;
  const double from = std::max(place, 0.0);
  const auto low = static_cast<int64_t>(from);
  const int64_t high = std::min(low + 1, trained - 1);
  const double w = from - static_cast<double>(low);
  Sum out;
  for (int64_t c = 0; c < t.dim; ++c) {
    const double q = t.q_at(a.row, a.query, a.head, c);
    out.add(q * (1 - w) * t.weight(weight, low * t.dim + c));
    out.add(q * w * t.weight(weight, high * t.dim + c));
  }
  return out;
}

inline Sum term(const Decomposed& s, const Stand& t, const At& a) {
  const int64_t kh = s.key_height > 0 ? s.key_height : s.height;
  const int64_t kw = s.key_width > 0 ? s.key_width : s.width;
  Sum out{.length = static_cast<double>(4 * s.dim)};
  if (a.query_at < 0 || a.query_at >= s.height * s.width || a.key_at < 0 || a.key_at >= kh * kw)
    return out;
  const auto add = [&](size_t weight, int64_t q, int64_t k, int64_t queries, int64_t keys,
                       int64_t table) {
    const int64_t longer = std::max(queries, keys), trained = table > 0 ? table : longer;
    out.add(query_times_resized(t, a, weight, 2 * trained - 1, 2 * longer - 1,
                                side_row(q, k, queries, keys)),
            1);
  };
  add(0, a.query_at / s.width, a.key_at / kw, s.height, kh, s.table_height);
  add(1, a.query_at % s.width, a.key_at % kw, s.width, kw, s.table_width);
  return out;
}

}  // namespace posenc
