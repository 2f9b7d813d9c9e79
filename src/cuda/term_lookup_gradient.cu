// term_lookup_gradient.cu: gradients and outputs of schemes that look up rows by distance.
#include "base/dispatch.h"
#include "cuda/products.h"
#include "cuda/term_lookup.h"

namespace posenc::cuda {
namespace {

// Sums that scores leave behind: of the weights, and of the rows that are made of one.
template <class C>
struct TableSums {
  const Place& place;
  const Lookups<C>& t;
  const TermSource& source;
  WeightSums weights;
  bool has_rows = weights && t.rows;
  int64_t row_numbers = has_rows ? t.heads * t.parts[0].rows * t.dim : 0;
  Temporary<double> rows{place, row_numbers};

  TableSums(const Place& p, const Lookups<C>& lookups, const TermSource& s,
            std::span<const Tensor> dweights)
      : place(p), t(lookups), source(s), weights(p, dweights) {
    clear(place, rows, row_numbers);
  }

  // The gradient of a part's table, from x and g.
  void add_table(LineLookups<C> call, const C* x) const {
    const Part<C>& part = call.part;
    if (part.weight < 0 && !has_rows) return;
    const int64_t heads = t.heads, n = call.lines * heads * part.rows;
    const Temporary<C> shares(place, n);
    clear(place, shares, n);
    call.out = shares.data();
    launch_shares(place, call);
    double* to = part.weight < 0 ? rows.data()
                                 : weights.of(static_cast<size_t>(part.weight)) +
                                       source.first_head * part.head_step;
    if (part.head_step == 0) {
      multiply<C, C, double>(place, {1, part.rows, part.dim, call.lines * heads},
                             {shares.data(), 0, 1, part.rows}, {x, 0, part.dim, 1},
                             {to, 0, part.dim, 1}, true);
    } else {
      multiply<C, C, double>(place, {heads, part.rows, part.dim, call.lines},
                             {shares.data(), part.rows, 1, heads * part.rows},
                             {x, part.dim, heads * part.dim, 1}, {to, part.head_step, part.dim, 1},
                             true);
    }
  }

  // The gradient of the bias of queries, from theirs.
  void add_bias(const C* dx, int64_t lines) const {
    multiply<C, C, double>(place, {t.heads, 1, t.dim, lines}, {}, {dx, t.dim, t.heads * t.dim, 1},
                           {weights.of(2) + source.first_head * t.dim, t.dim, 0, 1}, true);
  }
  // The gradient of the projection: from queries and that of what they became, or from that of the
  // rows, once all is summed.
  double* projection() const { return weights.of(0) + source.first_head * t.dim * t.inputs; }
  void add_projection(const C* x, const C* dx, int64_t lines) const {
    multiply<C, C, double>(place, {t.heads, t.dim, t.inputs, lines}, {x, t.dim, 1, t.heads * t.dim},
                           {dx, t.inputs, t.heads * t.inputs, 1},
                           {projection(), t.dim * t.inputs, t.inputs, 1}, true);
  }
  void finish() const {
    const int64_t count = t.parts[0].rows;
    if (has_rows)
      multiply<double, C, double>(place, {t.heads, t.dim, t.inputs, count},
                                  {rows.data(), count * t.dim, 1, t.dim},
                                  {t.sinusoid_rows->data(), 0, t.inputs, 1},
                                  {projection(), t.dim * t.inputs, t.inputs, 1}, true);
    weights.add();
  }
};

// Gradients of queries, or of keys, and of what they met.
template <class C>
struct LineGradients {
  const Place& place;
  const Lookups<C>& t;
  const TableSums<C>& sums;
  LineLookups<C> call;

  void run(bool by_key, const Tensor& x, const Tensor& dx) {
    if (!t.reads(by_key) || (dx.rank == 0 && !sums.weights)) return;
    const bool projects = t.projects_queries && !by_key;
    int64_t most = projects ? t.width() : t.heads * t.dim;
    for (int p = 0; p < t.count; ++p)
      if (t.parts[p].by_key == by_key && sums.weights && !projects)
        most = std::max(most, t.heads * t.parts[p].rows);
    each_piece(call.grid.rows * (by_key ? call.grid.keys : call.grid.queries), most,
               [&](int64_t first, int64_t count) {
                 call.first = first, call.lines = count;
                 some(by_key, projects, x, dx);
               });
  }

 private:
  void some(bool by_key, bool projects, const Tensor& x, const Tensor& dx) {
    const int64_t count = call.lines, inner = projects ? t.inputs : t.dim;
    const bool mixes = dx.rank > 0 || (!by_key && (projects || t.bias));
    const Temporary<C> lines(place, count * t.heads * t.dim), mixed(place, count * t.heads * inner),
        dlines(place, projects ? count * t.heads * t.dim : 0);
    clear(place, mixed, count * t.heads * inner);
    if (sums.weights) gather(place, x, call.first, count, by_key ? nullptr : t.bias, lines.data());
    for (int p = 0; p < t.count; ++p) {
      if (t.parts[p].by_key != by_key) continue;
      call.part = t.parts[p], call.out = mixed.data();
      if (mixes) launch_mix(place, call);
      if (sums.weights) sums.add_table(call, lines.data());
    }
    if (projects) {
      multiply<C, C, C>(place, {t.heads, count, t.dim, t.inputs},
                        {mixed.data(), t.inputs, t.heads * t.inputs, 1},
                        {t.projection, t.dim * t.inputs, 1, t.inputs},
                        {dlines.data(), t.dim, t.heads * t.dim, 1});
      if (sums.weights) sums.add_projection(lines.data(), mixed.data(), count);
    }
    const C* out = projects ? dlines.data() : mixed.data();
    if (sums.weights && !by_key && t.bias) sums.add_bias(out, count);
    if (dx.rank > 0) add_lines(place, out, call.first, count, dx);
  }
};

}  // namespace

namespace {

template <class C>
LineLookups<C> line_call(const ScoreGrid& grid, const Scaled<C>& g, const Lookups<C>& t) {
  LineLookups<C> call{grid};
  call.g = g, call.sinusoids = t.sinusoids;
  return call;
}

}  // namespace

template <class C>
void lookups_backward(const Place& place, const TermGradientOrder& order) {
  const TermSource& s = order.term;
  const ScoreGrid grid(order.at, s.heads);
  const Scaled<C> g(order.dout, s.after);
  if (order.dscores.rank > 0) add_scores(place, grid, g, {order.dscores, s.before});
  if (order.dq.rank == 0 && order.dk.rank == 0 && order.dweights.empty()) return;
  const Lookups<C> t(place, s, order.at);
  const TableSums<C> sums(place, t, s, order.dweights);
  LineGradients<C> lines{place, t, sums, line_call(grid, g, t)};
  lines.run(false, s.q, order.dq);
  lines.run(true, s.k, order.dk);
  sums.finish();
}

// Vectors in the values: out is what queries are given, probabilities are as gradients.
void run(const OutputsOrder& order) {
  const Place place(order.out, order.stream);
  const TermSource& s = order.term;
  ScoreGrid grid(order.at, s.heads);
  grid.causal = false;
  dispatch_compute(order.out.dtype, [&]<class C>() {
    const Lookups<C> t(place, s, order.at);
    const Scaled<C> p(order.probabilities, 1);
    const TableSums<C> sums(place, t, s, order.dweights);
    LineGradients<C> lines{place, t, sums, line_call(grid, p, t)};
    if (!order.backward) return lines.run(false, {}, order.out);
    if (order.dprobabilities.rank > 0)
      add_term<C>(place, t, grid, order.out, {}, {order.dprobabilities, 1}, order.dprobabilities,
                  1);
    lines.run(false, order.out, {});
    sums.finish();
  });
}

template void lookups_backward<float>(const Place&, const TermGradientOrder&);
template void lookups_backward<double>(const Place&, const TermGradientOrder&);

}  // namespace posenc::cuda
