// term_lookup_gradient.cu: gradients and outputs of schemes that look up rows by distance.
#include "base/dispatch.h"
#include "cuda/term_table_sums.h"

namespace posenc::cuda {
namespace {

// Gradients of queries, or of keys, and of what they met.
template <class C>
struct LineGradients {
  const DeviceStream& stream;
  const TermLookups<C>& t;
  const TableSums<C>& sums;
  LineLookups<C> call;

  void run(bool by_key, const Tensor& x, const Tensor& dx) {
    if (!t.reads(by_key) || (dx.rank == 0 && !sums.weights)) return;
    const bool changes = t.changes_queries() && !by_key, projects = changes && !t.gate;
    int64_t most = changes ? t.width() : t.heads * t.dim;
    for (int p = 0; p < t.count; ++p)
      if (t.parts[p].by_key == by_key && !projects && (sums.weights || has_few_rows(t.parts[p])))
        most = std::max(most, t.heads * t.parts[p].rows);
    each_piece(call.grid.rows * (by_key ? call.grid.keys : call.grid.queries), most,
               [&](int64_t first, int64_t count) {
                 call.first = first, call.lines = count;
                 some(by_key, changes, x, dx);
               });
  }

 private:
  void some(bool by_key, bool changes, const Tensor& x, const Tensor& dx) {
    const int64_t count = call.lines, inner = changes ? t.features() : t.dim;
    const bool mixes = dx.rank > 0 || (!by_key && (changes || t.bias));
    const Temporary<C> lines(stream, count * t.heads * t.dim),
        mixed(stream, count * t.heads * inner),
        dlines(stream, changes ? count * t.heads * t.dim : 0),
        gates(stream, t.gate ? count * t.heads : 0);
    clear(stream, mixed, count * t.heads * inner);
    if (sums.weights || t.gate)
      gather(stream, x, call.first, count, by_key ? nullptr : t.bias, lines.data());
    if (t.gate) make_gates(stream, t.gate, lines.data(), count, gates.data());
    for (int p = 0; p < t.count; ++p) {
      if (t.parts[p].by_key != by_key) continue;
      call.part = t.parts[p];
      part_back(mixes ? mixed.data() : nullptr, t.gate ? gates.data() : lines.data(),
                changes && !t.gate);
    }
    if (t.gate) gate_back(lines.data(), mixed.data(), dlines.data());
    if (t.projects_queries && !by_key) {
      multiply<C, C, C>(stream, {t.heads, count, t.dim, t.inputs},
                        {mixed.data(), t.inputs, t.heads * t.inputs, 1},
                        {t.projection, t.dim * t.inputs, 1, t.inputs},
                        {dlines.data(), t.dim, t.heads * t.dim, 1});
      if (sums.weights) sums.add_projection(lines.data(), mixed.data(), count);
    }
    const C* out = changes ? dlines.data() : mixed.data();
    if (sums.weights && !by_key && t.bias) sums.add_bias(out, count);
    if (dx.rank > 0) add_lines(stream, out, call.first, count, dx);
  }

  // Whether each of a part's rows is read often.
  bool has_few_rows(const DeviceLookupPart<C>& part) const {
    return part.table && part.rows <= (part.by_key ? call.grid.queries : call.grid.keys);
  }
  // mixed += sums of rows; the gradient of the table, from x. Both follow from the share of each
  // row in a line, which takes one walk over the scores.
  void part_back(C* mixed, const C* x, bool projects) {
    const bool summed = sums.takes(call.part);
    const bool by_shares =
        mixed && !projects && (summed ? !!call.part.table : has_few_rows(call.part));
    const int64_t count = summed || by_shares ? call.lines * t.heads * call.part.rows : 0;
    const Temporary<C> shares(stream, count);
    clear(stream, shares, count);
    call.out = shares.data();
    if (count > 0) launch_shares(stream, call);
    if (summed) sums.add_table(call, shares.data(), x);
    call.out = mixed;
    if (by_shares)
      mix(shares.data());
    else if (mixed)
      launch_mix(stream, call);
  }
  void mix(const C* shares) const {
    const DeviceLookupPart<C>& part = call.part;
    multiply<C, C, C>(stream, {t.heads, call.lines, part.dim, part.rows},
                      {shares, part.rows, t.heads * part.rows, 1},
                      {part.table, part.head_step, part.row_step, 1},
                      {call.out, part.dim, t.heads * part.dim, 1}, true);
  }

  // From the gradients of gates to those of lines and of what makes gates.
  void gate_back(const C* lines, const C* dgates, C* dlines) const {
    const Temporary<C> dsums(stream, call.lines * t.heads * 3);
    gates_backward(stream, t.gate, lines, call.lines, dgates, dlines, dsums.data());
    if (sums.weights) sums.add_gate(lines, dsums.data(), call.lines);
  }
};

}  // namespace

namespace {

template <class C>
LineLookups<C> line_call(const ScoreGrid& grid, const Scaled<C>& g, const TermLookups<C>& t) {
  LineLookups<C> call{grid};
  call.g = g, call.sinusoids = t.sinusoids;
  return call;
}

}  // namespace

template <class C>
void term_backward(const DeviceStream& stream, const RowLookups& form,
                   const TermGradientOrder& order) {
  const TermSource& s = order.term;
  const ScoreGrid grid(order.at, s.heads);
  const Scaled<C> g(order.dout, s.after);
  if (order.dscores.rank > 0) add_scores(stream, grid, g, {order.dscores, s.before});
  if (order.dq.rank == 0 && order.dk.rank == 0 && order.dweights.empty()) return;
  const TermLookups<C> t(stream, form, s, order.at);
  const TableSums<C> sums(stream, t, s, order.dweights);
  LineGradients<C> lines{stream, t, sums, line_call(grid, g, t)};
  lines.run(false, s.q, order.dq);
  lines.run(true, s.k, order.dk);
  sums.finish();
}

// Vectors in the values: out is what queries are given, probabilities are as gradients.
void run(const OutputsOrder& order) {
  const DeviceStream stream(order.out, order.stream);
  const TermSource& s = order.term;
  ScoreGrid grid(order.at, s.heads);
  grid.causal = false;
  dispatch_compute(order.out.dtype, [&]<class C>() {
    const auto& form = std::get<RowLookups>(s.plan.parts().formula.form);
    const TermLookups<C> t(stream, form, s, order.at);
    const Scaled<C> p(order.probabilities, 1);
    const TableSums<C> sums(stream, t, s, order.dweights);
    LineGradients<C> lines{stream, t, sums, line_call(grid, p, t)};
    if (!order.backward) return lines.run(false, {}, order.out);
    if (order.dprobabilities.rank > 0)
      add_parts<C>(stream, t, grid, order.out, {}, {order.dprobabilities, 1}, order.dprobabilities,
                   1);
    lines.run(false, order.out, {});
    sums.finish();
  });
}

template void term_backward<float>(const DeviceStream&, const RowLookups&,
                                   const TermGradientOrder&);
template void term_backward<double>(const DeviceStream&, const RowLookups&,
                                    const TermGradientOrder&);

}  // namespace posenc::cuda
