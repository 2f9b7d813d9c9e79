// formulas.h: the terms as their papers write them, one score at a time.
#pragma once

#include <limits>
#include <map>

#include "tests/content/pair_formulas.h"

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

inline Sum term(const Shaw& s, const Stand& t, const At& a) {
  const int64_t d = a.key_at - a.query_at, rows = s.left + s.right + 1;
  if (s.beyond == Beyond::zero && (d < -s.left || d > s.right)) return {};
  const int64_t row = s.order == RowOrder::key_minus_query
                          ? clipped(d, -s.left, s.right) + s.left
                          : clipped(-d, -s.right, s.left) + s.right;
  return query_times_row(t, a, 0, row + (s.heads > 0 ? a.model_head * rows : 0));
}

inline Sum term(const MusicTransformer& s, const Stand& t, const At& a) {
  const int64_t back = a.query_at - a.key_at;
  if (back < 0 || back >= s.length) return {};
  return query_times_row(t, a, 0,
                         s.length - 1 - back + (s.heads > 0 ? a.model_head * s.length : 0));
}

// R(distance)[m]; the angle of a double would be off by many of its ulps, so it is a long double,
// slow where those are emulated.
inline double new_sinusoid(const Sinusoidal& s, int64_t distance, int64_t m) {
  const int64_t pairs = s.dim / 2;
  const bool halves = s.order == Order::halves;
  const int64_t pair = halves ? m % pairs : m / 2;
  const bool is_cosine = halves ? m >= pairs : m % 2 == 1;
  const bool timescales = std::holds_alternative<TimescalesRule>(s.rule);
  const long double exponent =
      timescales ? static_cast<long double>(pair) / (pairs - 1) : 2.0L * pair / s.dim;
  const long double angle = distance * std::pow(static_cast<long double>(s.base), -exponent);
  return static_cast<double>(is_cosine ? std::cos(angle) : std::sin(angle));
}
inline double sinusoid(const Sinusoidal& s, int64_t distance, int64_t m) {
  static std::map<std::tuple<int64_t, Order, size_t, int64_t, int64_t>, double> known;
  const std::tuple key{s.dim, s.order, s.rule.index(), distance, m};
  const auto found = known.find(key);
  if (found != known.end()) return found->second;
  return known[key] = new_sinusoid(s, distance, m);
}

// (q of a query + v) . W R(distance).
inline Sum query_times_sinusoids(const TransformerXl& s, const Stand& t, const At& a, int64_t query,
                                 int64_t distance) {
  const int64_t inputs = s.sinusoids.dim;
  if (s.clamp_len > 0) distance = clipped(distance, -s.clamp_len, s.clamp_len);
  Sum out;
  for (int64_t c = 0; c < s.dim; ++c) {
    const int64_t feature = a.model_head * s.dim + c;
    Sum projected;
    for (int64_t m = 0; m < inputs; ++m)
      projected.add(t.weight(0, feature * inputs + m) * sinusoid(s.sinusoids, distance, m));
    const double v = s.biases ? t.weight(2, feature) : 0, q = t.q_at(a.row, query, a.head, c);
    out.add(projected, q + v);
    out.size += (std::abs(q) + std::abs(v)) * projected.size;
  }
  return out;
}

inline Sum term(const TransformerXl& s, const Stand& t, const At& a) {
  const int64_t distance = a.query_at - a.key_at;
  Sum out;
  if (!s.legacy || distance >= 0) {
    out = query_times_sinusoids(s, t, a, a.query, distance);
  } else if (distance < -1) {
    out = query_times_sinusoids(s, t, a, a.query + 1, t.sizes.keys + 1 + distance);
  }
  for (int64_t c = 0; s.biases && c < s.dim; ++c)
    out.add(t.weight(1, a.model_head * s.dim + c) * t.k_at(a.row, a.key, a.head, c));
  out.length = static_cast<double>(s.dim + s.sinusoids.dim);
  return out;
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
