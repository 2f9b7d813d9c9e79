// rotation.h: what a rotary plan does to one head, as a plain matrix.
#pragma once

#include <gtest/gtest.h>

#include "posenc/posenc.h"
#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc {

inline constexpr Layout all_layouts[] = {Layout::half, Layout::interleaved,
                                         Layout::interleaved_in_half_out};

// The unit roundoff of what a type is computed in.
inline double unit(DType dtype) { return dtype == DType::f64 ? 0x1p-53 : 0x1p-24; }

// out = entry * in, both [dim]; `error` bounds how far each entry may be off.
struct HeadMatrix {
  int64_t dim;
  std::vector<double> entry, error;

  explicit HeadMatrix(int64_t n)
      : dim(n), entry(static_cast<size_t>(n * n)), error(static_cast<size_t>(n * n)) {}
  size_t index(int64_t row, int64_t column) const {
    return static_cast<size_t>(row * dim + column);
  }
  double at(int64_t row, int64_t column) const { return entry[index(row, column)]; }
  void put(int64_t row, int64_t column, double value, double off) {
    entry[index(row, column)] = value, error[index(row, column)] = off;
  }
  HeadMatrix transposed() const {
    HeadMatrix out(dim);
    for (int64_t i = 0; i < dim; ++i)
      for (int64_t j = 0; j < dim; ++j) out.put(j, i, at(i, j), error[index(i, j)]);
    return out;
  }
  std::vector<double> times(const std::vector<double>& x) const {
    std::vector<double> out(x.size());
    for (int64_t i = 0; i < dim; ++i)
      for (int64_t j = 0; j < dim; ++j)
        out[static_cast<size_t>(i)] += at(i, j) * x[static_cast<size_t>(j)];
    return out;
  }
  // How far row i of a product may be off: its entries, two products and a sum in the compute type,
  // then one rounding to the type. A row that only copies must copy.
  double allowed(DType dtype, int64_t i, const std::vector<double>& x) const {
    const double u = unit(dtype);
    double off = 0, size = 0, sum = 0;
    int64_t terms = 0;
    for (int64_t j = 0; j < dim; ++j) {
      const double part = std::abs(x[static_cast<size_t>(j)]), value = std::abs(at(i, j));
      off += part * error[index(i, j)], size += part * value;
      sum += x[static_cast<size_t>(j)] * at(i, j);
      terms += value != 0 ? 1 : 0;
    }
    if (terms == 1 && at(i, i) == 1 && off == 0) return 0;
    off += 2.01 * u * size;
    return dtype == compute_type(dtype) ? off : off + half_ulp(dtype, std::abs(sum) + off);
  }
};

// Where pair k of a head lies.
struct PairPlace {
  int64_t a, b;
};
inline PairPlace pair_place(const Rope& rope, bool interleaved, int64_t k) {
  const int64_t in_block = rope.pairs() / rope.blocks, i = k % in_block;
  const int64_t first =
      (rope.rotary_offset < 0 ? rope.dim : 0) + rope.rotary_offset + 2 * (k / in_block) * in_block;
  if (interleaved) return {first + 2 * i, first + 2 * i + 1};
  return {first + i, first + in_block + i};
}
inline PairPlace pair_in(const Rope& rope, int64_t k) {
  return pair_place(rope, rope.layout != Layout::half, k);
}
inline PairPlace pair_out(const Rope& rope, int64_t k) {
  return pair_place(rope, rope.layout == Layout::interleaved, k);
}

// 1 + scale ln(1 + floor((p + offset) / floor)) on queries.
inline double plain_temperature(const Rope& rope, double p) {
  const auto* t = std::get_if<LogTemperature>(&rope.temperature);
  return t ? 1 + t->scale * std::log(1 + std::floor((p + t->offset) / t->floor)) : 1;
}
// ((2k + 0.4 D) / 1.4 D)^((p - center) / scale_base), on keys its inverse.
inline double plain_decay(const Rope& rope, bool is_query, double p, int64_t k) {
  const auto* x = std::get_if<XPos>(&rope.decay);
  if (!x) return 1;
  const double d = static_cast<double>(rope.turning()), i = static_cast<double>(k);
  const double factor = std::pow((2 * i + 0.4 * d) / (1.4 * d), (p - x->center) / x->scale_base);
  return is_query ? factor : 1 / factor;
}

// The matrix of head `head` of so many. Cosines and sines come from the plan's own table in f64.
inline HeadMatrix head_matrix(const RotaryPlan& plan, DType dtype, bool is_query, int64_t heads,
                              int64_t head, const std::vector<double>& place) {
  const Rope& rope = plan.scheme();
  HeadMatrix m(rope.dim);
  const DType compute = compute_type(dtype);
  const double u = unit(dtype), p = place[0] + static_cast<double>(rope.offset);
  const double all = is_query ? plain_temperature(rope, p) : 1;
  // A factor is rounded, then multiplied by; a power of two numbers whose logarithm times the
  // exponent is below 8 is within 8 (3 u) + u in f64, here and there.
  const auto factor_error = [&](double f) { return f == 1 ? 0 : 2 * u + 50 * 0x1p-53; };
  for (int64_t f = 0; f < rope.dim; ++f) m.put(f, f, all, factor_error(all) * all);
  const int64_t first = rope.first_head + (rope.first_head < 0 ? heads : 0), pairs = rope.pairs();
  if (head < first || head >= first + rope.rotary_heads.value_or(heads)) return m;
  const auto row = row_at(plan.table(), place);
  const bool own_row = std::ssize(row) > 2 * pairs;
  const int64_t from = own_row ? (head - first) * 2 * pairs : 0;
  for (int64_t k = 0; k < pairs; ++k) {
    const double f = all * plain_decay(rope, is_query, p, k);
    const double c = row[static_cast<size_t>(from + k)];
    const double s = row[static_cast<size_t>(from + pairs + k)], magnitude = plan.cos_sin_factor();
    const auto off = [&](double value) {
      return f * (row_error(compute, value, magnitude) + factor_error(f) * std::abs(value));
    };
    const PairPlace in = pair_in(rope, k), out = pair_out(rope, k);
    for (const int64_t feature : {out.a, out.b})
      for (int64_t j = 0; j < rope.dim; ++j) m.put(feature, j, 0, 0);
    m.put(out.a, in.a, f * c, off(c)), m.put(out.a, in.b, -f * s, off(s));
    m.put(out.b, in.a, f * s, off(s)), m.put(out.b, in.b, f * c, off(c));
  }
  return m;
}

// The options of a scheme in one line.
inline std::string options_text(const Rope& rope) {
  std::string out;
  for (const Option& o : options_of(rope))
    if (const auto value = text::write(o.value); !value.empty()) out += o.name + " " + value + ", ";
  return out;
}

// One head of many, as numbers.
inline std::vector<double> head_of(const std::vector<double>& all, int64_t head, int64_t dim) {
  return {all.begin() + head * dim, all.begin() + (head + 1) * dim};
}

// Calls check(matrix, n) for every head of a tensor [..., tokens, heads, dim], n of them before it.
template <class Check>
void for_heads(const RotaryPlan& plan, const Tensor& t, bool is_query, const TestPlaces& at,
               const Check& check) {
  const int64_t heads = t.size(-2), tokens = t.size(-3), dim = t.size(-1);
  for (int64_t n = 0; n < t.elements() / dim; ++n) {
    const int64_t token = n / heads % tokens, row = n / heads / tokens;
    check(head_matrix(plan, t.dtype, is_query, heads, n % heads, at.place(plan.axes(), row, token)),
          n);
  }
}

// out = matrix (or its transpose) * in.
inline void expect_turned(const RotaryPlan& plan, const std::vector<double>& in, const Tensor& out,
                          bool is_query, const TestPlaces& at, bool transposed = false) {
  const auto found = numbers(out);
  for_heads(plan, out, is_query, at, [&](const HeadMatrix& matrix, int64_t n) {
    const HeadMatrix m = transposed ? matrix.transposed() : matrix;
    const auto x = head_of(in, n, m.dim), y = head_of(found, n, m.dim), truth = m.times(x);
    for (size_t f = 0; f < y.size(); ++f)
      ASSERT_NEAR(y[f], truth[f], m.allowed(out.dtype, static_cast<int64_t>(f), x))
          << (is_query ? "q " : "k ") << describe(out) << " head " << n << " feature " << f << ", "
          << at.name();
  });
}

}  // namespace posenc
