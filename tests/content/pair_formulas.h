// pair_formulas.h: the terms whose rows grids, segments or buckets name, as their models write
// them.
#pragma once

#include "tests/content/stand.h"

namespace posenc {

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
