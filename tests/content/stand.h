// stand.h: random queries, keys, gates, scores and weights of a content scheme.
#pragma once

#include "posenc/content.h"
#include "tests/support/guarded.h"
#include "tests/support/places.h"
#include "tests/support/weights.h"

namespace posenc {

// The options of scores that may hold fewer heads than the scheme has: the first of them unless
// said.
inline ScoreOptions from_first_head(ScoreOptions o) {
  o.first_head = o.first_head.value_or(0);
  return o;
}

struct Sizes {
  int64_t rows = 2, heads = 3, queries = 5, keys = 7;
};

struct Stand {
  Content scheme;
  Sizes sizes;
  int64_t dim;
  Weights weights;
  ContentPlan plan;
  Guarded q, k, gates, scores, out;

  Stand(const Content& s, DType dtype, const Sizes& n, Random& random,
        Placement placement = Placement::dense)
      : scheme(s),
        sizes(n),
        dim(std::max<int64_t>(std::visit([](const auto& a) { return a.reads().dim; }, s), 1)),
        weights(random_values(posenc::weights(s), random)),
        plan(prepare(s, {.weights = weights.views()})),
        q(dtype, {n.rows, n.queries, n.heads, dim}, placement),
        k(dtype, {n.rows, n.keys, n.heads, dim}, placement),
        gates(dtype, {n.rows, n.keys, n.heads}, placement),
        scores(dtype, {n.rows, n.heads, n.queries, n.keys}, placement),
        out(dtype, {n.rows, n.heads, n.queries, n.keys}, placement) {
    for (const Guarded* g : {&q, &k, &scores}) randomize(g->view(), random);
    randomize(gates.view(), random, -1, 0);
  }

  // Numbers that f32 holds exactly, from -1 to 1.
  static Weights random_values(const std::vector<Weight>& wanted, Random& random) {
    Weights out = zero_weights(wanted, DType::f32);
    for (const Array& a : out.arrays) randomize(a.view(), random);
    return out;
  }

  double q_at(int64_t row, int64_t query, int64_t head, int64_t c) const {
    return get(q.view(), ((row * sizes.queries + query) * sizes.heads + head) * dim + c);
  }
  double k_at(int64_t row, int64_t key, int64_t head, int64_t c) const {
    return get(k.view(), ((row * sizes.keys + key) * sizes.heads + head) * dim + c);
  }
  double gate_at(int64_t row, int64_t key, int64_t head) const {
    return get(gates.view(), (row * sizes.keys + key) * sizes.heads + head);
  }
  double weight(size_t w, int64_t n) const { return get(weights.arrays[w].view(), n); }
  int64_t score(int64_t row, int64_t head, int64_t query, int64_t key) const {
    return ((row * sizes.heads + head) * sizes.queries + query) * sizes.keys + key;
  }
  ContentInputs inputs() const { return {q.view(), k.view(), gates.view()}; }
};

// The last `count` of an axis.
inline Tensor last_of(Tensor t, int axis, int64_t count) {
  const auto i = static_cast<size_t>(t.rank + axis);
  t.data = static_cast<char*>(t.data) + (t.shape[i] - count) * t.stride[i] * size_of(t.dtype);
  t.shape[i] = count;
  return t;
}

// Positions of keys that rise by 1 or 2, each batch row from a place of its own.
inline TestPlaces rising_keys(int64_t rows, int64_t keys) {
  Random any(1);
  TestPlaces out(DType::i64, {rows, keys}, any, 0, 1);
  for (int64_t n = 0; n < rows * keys; ++n)
    set(out.at().ids, n, static_cast<double>(n / keys * 2 - 3 + n % keys * 3 / 2));
  return out;
}

// One score: which it is, and where query and key stand.
struct At {
  int64_t row, head, query, key;
  int64_t query_at, key_at;
  int64_t model_head;
  int64_t last_key = -1;     // the last one at or before the query, where keys are in order
  int64_t keys_before = -1;  // how many stand before the query, of ids in order
};

// A sum of products, the sum of their sizes, and how many numbers one sum in it has.
struct Sum {
  double value = 0, size = 0, length = 0;
  void add(double x) { value += x, size += std::abs(x); }
  void add(const Sum& other, double factor) {
    value += factor * other.value, size += std::abs(factor) * other.size;
  }
};

// How far a sum may be from the truth: each of `length` additions and a few roundings of inputs
// (tables to the compute type, sinusoids) change it by half an ulp of the sizes; the reference, in
// double, is as far off again when the result is double.
inline double allowed(DType dtype, const Sum& sum, double scores = 0) {
  const DType compute = compute_type(dtype);
  const double u = compute == DType::f64 ? 0x1p-52 : 0x1p-24;
  const double size = sum.size + std::abs(scores), before = (sum.length + 8) * u * size;
  return before + half_ulp(dtype, size + before);
}

}  // namespace posenc
