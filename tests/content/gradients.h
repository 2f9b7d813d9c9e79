// gradients.h: gradients of everything a content term reads, and how far they may be from the
// truth.
#pragma once

#include "tests/content/schemes.h"

namespace posenc {

// Everything a term reads, and its gradient, in one order.
struct AllGradients {
  Guarded dq, dk, dgates, dscores;
  Weights dweights;

  AllGradients(const Stand& t, DType dtype, Placement placement = Placement::dense)
      : dq(dtype, {t.sizes.rows, t.sizes.queries, t.sizes.heads, t.dim}, placement),
        dk(dtype, {t.sizes.rows, t.sizes.keys, t.sizes.heads, t.dim}, placement),
        dgates(dtype, {t.sizes.rows, t.sizes.keys, t.sizes.heads}, placement),
        dscores(dtype, {t.sizes.rows, t.sizes.heads, t.sizes.queries, t.sizes.keys}, placement),
        dweights(zero_weights(weights(t.scheme), dtype)) {
    for (const Tensor& g : views())
      for (int64_t n = 0; n < g.elements(); ++n) set(g, n, 0);
  }
  std::vector<Tensor> views() const {
    std::vector<Tensor> out{dq.view(), dk.view(), dgates.view(), dscores.view()};
    for (const Tensor& w : dweights.views()) out.push_back(w);
    return out;
  }
  std::vector<double> all() const {
    std::vector<double> out;
    for (const Tensor& g : views())
      for (const double x : numbers(g)) out.push_back(x);
    return out;
  }
};

inline void run_backward(const Stand& t, const Tensor& dout, const AllGradients& to,
                         const ScoreOptions& o) {
  backward(t.plan, t.inputs(), t.scores.view(), dout,
           {to.dq.view(), to.dk.view(), to.dgates.view(), to.dscores.view()}, to.dweights.views(),
           from_first_head(o));
}

// <dout, add(everything + step * direction)> over the scores that are not hidden.
inline double loss(const Stand& t, const std::vector<double>& direction, double step,
                   const Tensor& dout, const ScoreOptions& o) {
  const AllGradients moved(t, DType::f64);
  std::vector<Tensor> from{t.q.view(), t.k.view(), t.gates.view(), t.scores.view()};
  for (const Tensor& w : t.weights.views()) from.push_back(w);
  auto d = direction.begin();
  for (size_t i = 0; i < from.size(); ++i)
    for (int64_t n = 0; n < from[i].elements(); ++n)
      set(moved.views()[i], n, get(from[i], n) + step * *d++);
  const Tensor out = moved.dscores.view();
  add(prepare(t.scheme, {.weights = moved.dweights.views()}),
      {moved.dq.view(), moved.dk.view(), moved.dgates.view()}, out, out, from_first_head(o));
  double sum = 0;
  for (int64_t n = 0; n < out.elements(); ++n)
    if (std::isfinite(get(out, n))) sum += get(out, n) * get(dout, n);
  return sum;
}

// <gradient, direction> against a central difference of step h, where numbers of the direction are
// up to `reach`; g is the gradient.
inline void expect_difference(const Stand& t, const AllGradients& g, const ScoreOptions& o,
                              Random& random, double reach, double h, double bound) {
  const Guarded dout(DType::f64, {t.sizes.rows, t.sizes.heads, t.sizes.queries, t.sizes.keys});
  randomize(dout.view(), random);
  run_backward(t, dout.view(), g, o);
  std::vector<double> direction;
  double product = 0;
  for (const double x : g.all()) product += x * direction.emplace_back(random.real() * reach);
  const double difference =
      (loss(t, direction, h, dout.view(), o) - loss(t, direction, -h, dout.view(), o)) / (2 * h);
  EXPECT_NEAR(product, difference, bound);
  EXPECT_GT(std::abs(difference), 1e-2) << "a weak test";
}

// How many products of numbers up to 1 make one score, and how long its sums are.
inline Sum score_size(const Content& scheme, int64_t keys) {
  if (std::holds_alternative<Forgetting>(scheme))
    return {.size = 2 * static_cast<double>(keys), .length = static_cast<double>(keys)};
  if (const auto* rows = std::get_if<ForgettingRows>(&scheme)) {
    const auto dim = static_cast<double>(rows->dim), all = static_cast<double>(keys);
    return {.size = all * (std::sqrt(dim) + 2), .length = dim + all};
  }
  if (std::holds_alternative<KerpleWeight>(scheme)) return {.size = 1, .length = 1};
  if (const auto* xl = std::get_if<TransformerXl>(&scheme))
    return {.size = static_cast<double>(2 * xl->dim * (xl->sinusoids.dim + 1)),
            .length = static_cast<double>(xl->dim + xl->sinusoids.dim)};
  const auto dim =
      static_cast<double>(std::visit([](const auto& s) { return s.reads().dim; }, scheme));
  return {.size = 2 * dim, .length = 2 * dim};
}

// The same numbers in another type.
inline void copy_numbers(const Stand& from, Stand& to) {
  to.weights = from.weights, to.plan = from.plan;
  for (const auto& [x, y] : {std::pair{&from.q, &to.q},
                             {&from.k, &to.k},
                             {&from.gates, &to.gates},
                             {&from.scores, &to.scores}})
    for (int64_t n = 0; n < x->view().elements(); ++n) set(y->view(), n, get(x->view(), n));
}

// How far gradients that are summed in f32, or f64, may be from those of f64, one for each of
// views(). Numbers are up to 1, or `row` for what a query meets in its tables (the gate of a gated
// bias moves by up to 3 of its table with a number of the query, by 1/2 with one of its weights),
// and q + v up to 2. A number of dq sums one term for each key, one of dk for each query, one of
// dgates, in f64, for pairs of both; one of a weight for all scores, in f32 for those of one head
// and query block. Through its gates CoPE hands to each score what all keys before it met: z, of up
// to dim, times a slope below 1/4; and places within its table are sums over keys, in f64. A gate
// of a product tells it what all keys up to its own are told. A kernel
// exp(-a r^p) of distances r up to keys + queries + 24 moves by less than r with a, where p is
// below 1, and by less than ln(r) / e < 2 with p, of its own head alone, and is summed in f64. What
// is added to is up to `there`.
inline std::vector<double> gradient_bounds(const Stand& t, DType compute = DType::f32,
                                           double there = 0) {
  const auto* xl = std::get_if<TransformerXl>(&t.scheme);
  const auto* cope = std::get_if<Cope>(&t.scheme);
  const bool gated = std::holds_alternative<GatedT5>(t.scheme);
  const auto keys = static_cast<double>(t.sizes.keys), dim = static_cast<double>(t.dim);
  const auto queries = static_cast<double>(t.sizes.queries);
  const double in_f64 = compute == DType::f64 ? keys + queries : 0;
  const double row = static_cast<double>(xl      ? xl->sinusoids.dim
                                         : cope  ? cope->positions
                                         : gated ? 4
                                                 : 2);
  const auto all = static_cast<double>(t.scores.view().elements());
  const double by_gates = cope ? keys * 2 * dim / 4 * (cope->soft > 0 ? 1 / cope->soft : 1) : 0;
  const auto bound = [&](double size, double length) {
    return allowed(compute, {.size = size + there, .length = length + in_f64});
  };
  std::vector<double> out{bound(keys * row, keys + row), bound(queries, queries),
                          bound(queries * keys, 1), bound(1 + by_gates, cope ? dim : 1)};
  out.resize(4 + t.weights.arrays.size(), bound(2 * all, keys + queries));
  if (std::holds_alternative<ForgettingRows>(t.scheme))
    out[0] = bound(keys * keys, 2 * keys + dim), out[1] = bound(keys * queries, keys + queries);
  // A gate's scale sums its own head; sums over queries of a gate are f64, as all of KERPLE's are.
  const double own = all / static_cast<double>(t.sizes.heads);
  const auto summed = [&](double size) {  // in f64, and rounded once
    return allowed(DType::f64, {.size = size + there, .length = queries * keys}) +
           half_ulp(compute, size + there);
  };
  if (std::holds_alternative<KerpleWeight>(t.scheme))
    out[4] = summed(own * (keys + queries + 24)), out[5] = summed(2 * own);
  if (gated) out[5] = out[6] = bound(all / 2, keys), out[7] = bound(own, keys);
  return out;
}

}  // namespace posenc
