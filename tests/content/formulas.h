// formulas.h: what the formulas of terms share, and add() against them, one score at a time.
#pragma once

#include <limits>

#include "tests/content/stand.h"

namespace posenc {

inline int64_t clipped(int64_t x, int64_t low, int64_t high) {
  return x < low ? low : x > high ? high : x;
}

// q . table[row]; row counts through all tables.
inline Sum query_times_row(const Stand& t, const At& a, size_t weight, int64_t row) {
  Sum out;
  for (int64_t c = 0; c < t.dim; ++c)
    out.add(t.q_at(a.row, a.query, a.head, c) * t.weight(weight, row * t.dim + c));
  out.length = static_cast<double>(t.dim);
  return out;
}

// Where queries and keys stand, for options with ranges.
inline At at(const ScoreOptions& o, int64_t row, int64_t head, int64_t query, int64_t key) {
  return {row,
          head,
          query,
          key,
          o.queries.first + query,
          o.keys.first + key,
          o.first_head.value_or(0) + head};
}

template <class F>
void for_every_score(const Sizes& n, const F& f) {
  for (int64_t row = 0; row < n.rows; ++row)
    for (int64_t head = 0; head < n.heads; ++head)
      for (int64_t query = 0; query < n.queries; ++query)
        for (int64_t key = 0; key < n.keys; ++key) f(row, head, query, key);
}

// add() against the formula, for positions that are ranges. S may be left out of the library's
// list.
template <class S>
void expect_term(const S& s, const Stand& t, const ScoreOptions& o) {
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(), from_first_head(o));
  const DType dtype = t.out.view().dtype;
  for_every_score(t.sizes, [&](int64_t row, int64_t head, int64_t query, int64_t key) {
    const At a = at(o, row, head, query, key);
    const int64_t n = t.score(row, head, query, key);
    const double got = get(t.out.view(), n), score = get(t.scores.view(), n);
    if (o.causal && a.key_at > a.query_at) {
      EXPECT_EQ(got, -std::numeric_limits<double>::infinity());
      return;
    }
    Sum sum = term(s, t, a);
    const double factor = o.scale_on == ScaleOn::sum ? o.scale : 1;
    sum.value *= factor, sum.size *= std::abs(factor);
    EXPECT_NEAR(got, o.scale * score + sum.value, allowed(dtype, sum, o.scale * score))
        << "row " << row << " head " << head << " query " << query << " key " << key;
  });
}

}  // namespace posenc
