// attention.h: attention as one writes it down, in double precision, and how far the library's may
// be from it.
#pragma once

#include "posenc/attend.h"
#include "tests/support/rotation.h"

namespace posenc {

// A number before the softmax, and how far the library's may be from it.
struct Score {
  double x, off;
};
inline constexpr Score hidden_score{-INFINITY, 0};

// A tensor [rows, tokens, heads, dim] as numbers.
struct HeadNumbers {
  int64_t tokens, heads, dim;
  std::vector<double> all;

  explicit HeadNumbers(const Tensor& t)
      : tokens(t.size(-3)), heads(t.size(-2)), dim(t.size(-1)), all(numbers(t)) {}
  std::vector<double> at(int64_t row, int64_t token, int64_t head) const {
    return head_of(all, (row * tokens + token) * heads + head, dim);
  }
};

// scale * q . k. In any order of summation d products of a dot are off by at most d u times their
// sizes; the scale is rounded, and the product with it: (d + 2) u. u doubles for f64, where this
// reference is off as much.
struct Products {
  HeadNumbers q, k;
  double scale, u;

  Products(const Tensor& queries, const Tensor& keys, double factor)
      : q(queries), k(keys), scale(factor), u(queries.dtype == DType::f64 ? 0x1p-52 : 0x1p-24) {}

  Score product(const std::vector<double>& a, const std::vector<double>& b) const {
    double sum = 0, size = 0;
    for (size_t f = 0; f < a.size(); ++f) sum += a[f] * b[f], size += std::abs(a[f] * b[f]);
    const double steps = static_cast<double>(a.size()) + 2;
    return {scale * sum, steps * u * std::abs(scale) * size};
  }
  int64_t kv_head(int64_t head) const { return head / (q.heads / k.heads); }
  Score operator()(int64_t row, int64_t head, int64_t i, int64_t j) const {
    return product(q.at(row, i, head), k.at(row, j, kv_head(head)));
  }
  // x + b: b is rounded, and the sum.
  Score with(Score s, double b) const {
    const double x = s.x + b;
    return {x, s.off + u * (std::abs(b) + std::abs(x))};
  }
};

// Turned queries and keys are off by what HeadMatrix allows them, in the compute type.
struct TurnedProducts {
  const RotaryPlan& plan;
  Products products;
  DType compute;
  const TestPlaces &queries, &keys;

  struct Turned {
    std::vector<double> x, off;
  };
  Turned turned(bool is_query, int64_t row, int64_t token, int64_t head) const {
    const HeadNumbers& from = is_query ? products.q : products.k;
    const auto place = (is_query ? queries : keys).place(plan.axes(), row, token);
    const auto m = head_matrix(plan, compute, is_query, from.heads, head, place);
    const auto in = from.at(row, token, head);
    Turned out{m.times(in), {}};
    for (int64_t f = 0; f < m.dim; ++f) out.off.push_back(m.allowed(compute, f, in));
    return out;
  }
  Score operator()(int64_t row, int64_t head, int64_t i, int64_t j) const {
    const Turned q = turned(true, row, i, head);
    const Turned k = turned(false, row, j, products.kv_head(head));
    Score s = products.product(q.x, k.x);
    for (size_t f = 0; f < q.x.size(); ++f)
      s.off += products.scale * (q.off[f] * std::abs(k.x[f]) + std::abs(q.x[f]) * k.off[f]);
    return s;
  }
};

// out[i] = sum_j e^x_j v_j / sum_j e^x_j. With m the largest x, a weight e^(x_j - m) is off by a
// factor of off_j + u |x_j - m| (the difference) + 2 u (e^x is within an ulp); the factor of m is
// common to all and cancels. With w the largest of those factors the quotient is off by 2 w; sums
// of n terms, in any order, by n u each, the division and its divisor by u each; first order, with
// 1 % for the rest. What one rounding to the type adds comes last.
struct Weighed {
  double value, off;
};
inline Weighed weigh(const std::vector<Score>& scores, const std::vector<double>& v, double u) {
  double largest = -INFINITY, total = 0, sum = 0, size = 0, worst = 0;
  for (const Score& s : scores) largest = std::max(largest, s.x);
  if (largest == -INFINITY) return {0, 0};
  for (size_t j = 0; j < v.size(); ++j) {
    const double e = std::exp(scores[j].x - largest);
    total += e, sum += e * v[j], size += std::abs(e * v[j]);
    if (e > 0) worst = std::max(worst, scores[j].off + u * (largest - scores[j].x) + 2 * u);
  }
  const auto n = static_cast<double>(v.size());
  return {sum / total, 1.01 * (2 * worst + (2 * n + 2) * u) * size / total};
}

// score(row, head, query, key) -> Score; value(row, head, query, key) -> the features of v.
template <class ScoreOf, class ValueOf>
void expect_attention(const Tensor& out, int64_t keys, const ScoreOf& score, const ValueOf& value) {
  const HeadNumbers found(out);
  const double u = out.dtype == DType::f64 ? 0x1p-52 : 0x1p-24;
  for (int64_t n = 0; n < out.elements() / found.dim; ++n) {
    const int64_t head = n % found.heads, i = n / found.heads % found.tokens;
    const int64_t row = n / found.heads / found.tokens;
    std::vector<Score> scores;
    std::vector<std::vector<double>> columns(static_cast<size_t>(found.dim));
    for (int64_t j = 0; j < keys; ++j) {
      scores.push_back(score(row, head, i, j));
      const std::vector<double> v = value(row, head, i, j);
      for (size_t f = 0; f < columns.size(); ++f) columns[f].push_back(v[f]);
    }
    for (size_t f = 0; f < columns.size(); ++f) {
      const Weighed w = weigh(scores, columns[f], u);
      const bool rounds = out.dtype != compute_type(out.dtype);
      const double allowed = w.off + (rounds ? half_ulp(out.dtype, std::abs(w.value) + w.off) : 0);
      ASSERT_NEAR(found.at(row, i, head)[f], w.value, allowed)
          << describe(out) << " row " << row << " query " << i << " head " << head << " of " << f;
    }
  }
}
template <class ScoreOf>
void expect_attention(const Tensor& out, const Tensor& v, const ScoreOf& score) {
  const HeadNumbers values(v);
  const int64_t group = out.size(-2) / v.size(-2);
  expect_attention(out, v.size(-3), score, [&](int64_t row, int64_t head, int64_t, int64_t j) {
    return values.at(row, j, head / group);
  });
}

// Random queries, keys and values, and memory for the result.
struct AttendSizes {
  int64_t rows = 2, queries = 37, keys = 70, heads = 6, kv_heads = 2, dim = 24, value_dim = 20;
};
struct Inputs {
  Guarded q_memory, k_memory, v_memory, out_memory;

  Inputs(DType dtype, const AttendSizes& s, uint64_t seed, Placement placement = Placement::dense)
      : q_memory(dtype, {s.rows, s.queries, s.heads, s.dim}, placement),
        k_memory(dtype, {s.rows, s.keys, s.kv_heads, s.dim}, placement),
        v_memory(dtype, {s.rows, s.keys, s.kv_heads, s.value_dim}, placement),
        out_memory(dtype, {s.rows, s.queries, s.heads, s.value_dim}, placement) {
    Random random(seed);
    for (const Tensor& t : {q(), k(), v()}) randomize(t, random, -2, 2);
  }
  const Tensor& q() const { return q_memory.view(); }
  const Tensor& k() const { return k_memory.view(); }
  const Tensor& v() const { return v_memory.view(); }
  const Tensor& out() const { return out_memory.view(); }
  void attend(const Plan& encoding, const AttendOptions& options = {}) const {
    posenc::attend(encoding, {q(), k(), v()}, out(), options);
    EXPECT_TRUE(out_memory.intact());
  }
  double scale() const { return 1 / std::sqrt(static_cast<double>(q().size(-1))); }
  Products products() const { return {q(), k(), scale()}; }
};

}  // namespace posenc
