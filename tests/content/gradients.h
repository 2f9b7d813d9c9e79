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
           o);
}

// How many products of numbers up to 1 make one score, and how long its sums are.
inline Sum score_size(const Content& scheme, int64_t keys) {
  if (std::holds_alternative<Forgetting>(scheme))
    return {.size = 2 * static_cast<double>(keys), .length = static_cast<double>(keys)};
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
// views(). Numbers are up to 1, or `row` for what a query meets in the table, and q + v up to 2. A
// number of dq sums one term for each key, one of dk for each query, one of dgates, in f64, for
// pairs of both; one of a weight for all scores, in f32 for those of one head and query block.
// Through its gates CoPE hands to each score what all keys before it met: z, of up to dim, times a
// slope below 1/4; and places within its table are sums over keys, in f64. What is added to is up
// to `there`.
inline std::vector<double> gradient_bounds(const Stand& t, DType compute = DType::f32,
                                           double there = 0) {
  const auto* xl = std::get_if<TransformerXl>(&t.scheme);
  const auto* cope = std::get_if<Cope>(&t.scheme);
  const auto keys = static_cast<double>(t.sizes.keys), dim = static_cast<double>(t.dim);
  const auto queries = static_cast<double>(t.sizes.queries);
  const double in_f64 = compute == DType::f64 ? keys + queries : 0;
  const double row = static_cast<double>(xl ? xl->sinusoids.dim : cope ? cope->positions : 1);
  const auto all = static_cast<double>(t.scores.view().elements());
  const double by_gates = cope ? keys * 2 * dim / 4 : 0;
  const auto bound = [&](double size, double length) {
    return allowed(compute, {.size = size + there, .length = length + in_f64});
  };
  std::vector<double> out{bound(keys * row, keys + row), bound(queries, queries),
                          bound(queries * keys, 1), bound(1 + by_gates, cope ? dim : 1)};
  out.resize(4 + t.weights.arrays.size(), bound(2 * all, keys + queries));
  return out;
}

}  // namespace posenc
