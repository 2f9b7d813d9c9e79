// turned.h: random queries and keys of a rotary scheme, to be turned in f64.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>

#include "posenc/rotary.h"

namespace posenc::inspect {

using Vector = std::vector<double>;
using Verb = void (*)(const RotaryPlan&, const QueriesKeys&, const QueriesKeys&, const Positions&,
                      Stream);

inline constexpr double rounding = 0x1p-53;
// Of a turned pair, relative to its length: cosine and sine are off by 4e-16 each, and each of the
// two results is rounded three times: sqrt(2) (sqrt(2) 4e-16 + 3 rounding).
inline constexpr double turn_error = 1.3e-15;

inline double product(const Vector& a, const Vector& b) {
  double sum = 0;
  for (size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
  return sum;
}
inline double norm(const Vector& x) { return std::sqrt(product(x, x)); }
inline double distance(const Vector& a, const Vector& b) {
  Vector difference(a.size());
  for (size_t i = 0; i < a.size(); ++i) difference[i] = a[i] - b[i];
  return norm(difference);
}

// All heads of a query and a key, every head turning.
struct Turned {
  Rope rope;
  std::span<const Tensor> weights;
  int64_t rows, length;
  RotaryPlan plan;
  int64_t heads = 1;
  Vector q{}, k{};

  Vector turned(Verb verb, const RotaryPlan& by, Vector x, bool query, int64_t position) const {
    const Tensor t = tensor(x.data(), {1, heads, rope.dim});
    const QueriesKeys both = query ? QueriesKeys{t, {}} : QueriesKeys{{}, t};
    verb(by, both, both, range(position), {});
    return x;
  }
  Vector turned(const Vector& x, bool query, int64_t position) const {
    return turned(rotate, plan, x, query, position);
  }
  // Of one vector: the exponents of xPos are rounded too, and 1.26 >= |ln z|.
  double error() const {
    const auto* xpos = std::get_if<XPos>(&rope.decay);
    if (!xpos) return turn_error;
    const double most = 2 * static_cast<double>(rows) + std::abs(xpos->center);
    return turn_error + 2 * rounding * (1 + 1.26 * most / xpos->scale_base);
  }
  // Of a product of two, relative to their lengths.
  double product_error() const { return 2 * error() + static_cast<double>(q.size()) * rounding; }
  // Some positions below `rows`, and a large one where no factor grows with the position; none that
  // the plan does not have.
  std::vector<int64_t> places() const {
    std::vector<int64_t> out{0, 1, rows / 7, rows / 3, rows / 2, rows - 1};
    constexpr int64_t large = 1000003;
    if (rope.decay.index() == 0) out.push_back(large);
    std::erase_if(out, [&](int64_t place) { return place >= plan.max_length(); });
    return out;
  }
};

inline Turned make_turned(Rope rope, std::span<const Tensor> weights, int64_t rows,
                          int64_t length) {
  rope.first_head = 0, rope.rotary_heads.reset();
  Turned s{rope, weights, rows, length ? length : rows,
           prepare(rope, {.weights = weights, .length = length})};
  s.heads = rope.row_heads(), s.rows = std::min(rows, s.plan.max_length());
  std::mt19937_64 bits(1);
  for (Vector* x : {&s.q, &s.k})
    for (int64_t i = 0; i < s.heads * rope.dim; ++i)
      x->push_back(static_cast<double>(static_cast<int64_t>(bits())) * 0x1p-63);
  return s;
}

}  // namespace posenc::inspect
