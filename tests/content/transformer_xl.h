// transformer_xl.h: Transformer-XL's sinusoids of distances, score by score as the paper writes it,
// and small ones for 3 heads.
#pragma once

#include <map>

#include "tests/content/formulas.h"

namespace posenc {

inline std::vector<Content> small(const TransformerXl&) {
  const Sinusoidal halves{.dim = 6, .order = Order::halves}, interleaved{.dim = 8};
  return {TransformerXl{.dim = 5, .heads = 3, .sinusoids = halves},
          TransformerXl{.dim = 5, .heads = 3, .sinusoids = interleaved, .clamp_len = 4},
          TransformerXl{.dim = 4, .heads = 3, .sinusoids = halves, .biases = false}};
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

}  // namespace posenc
