// outputs.cc: vectors of the distance in the values (Shaw et al., 2018).
#include "base/check.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "content/blocks.h"
#include "content/lookup.h"

namespace posenc {
namespace {

const Shaw& shaw_of(const char* verb, const ContentPlan& plan) {
  const auto* s = std::get_if<Shaw>(&plan.parts().scheme);
  if (!s)
    fail(verb, "expected the plan of a shaw, got one of ", alternative_name(plan.parts().scheme));
  return *s;
}

template <class C>
const C* head_table(const ContentPlan& plan, const Shaw& s, int64_t head) {
  return weights_as<C>(plan.parts())[0].data() + table_of(s.heads, head, s.rows() * s.dim);
}

// Probabilities of some queries of a head, and which rows their keys read.
template <class C>
struct Attention {
  std::vector<C> p;  // [queries, keys]
  TermBlock<C> block;
  Lookup lookup;

  Attention(const Shaw& s, const Batch& from, Blocks<C>& blocks, int64_t row, int64_t head,
            int64_t first, int64_t count)
      : block(blocks.at(first, count)),
        lookup(block.query_at, count, block.key_at, block.keys,
               [&](int64_t d) { return s.row(d); }) {
    p.resize(static_cast<size_t>(count * block.keys));
    read_rows(from.t.dtype, rows_at(from, row, head, first), 1, p.data(), count, block.keys);
  }

  int64_t width() const { return lookup.count() + 1; }
  // How much of each row a query takes: the probabilities of the keys that read it.
  std::vector<C> shares() const {
    std::vector<C> out(static_cast<size_t>(block.queries * width()));
    for (int64_t i = 0; i < block.queries; ++i)
      for (int64_t j = 0; j < block.keys; ++j)
        out[static_cast<size_t>(i * width() + lookup.of(i)[j])] +=
            p[static_cast<size_t>(i * block.keys + j)];
    return out;
  }
};

struct Outputs {
  const ContentPlan& plan;
  const ContentCall& call;
  const Shaw& s;
  Batch probabilities, outputs;

  // f(attention, first query) for the queries of a head, some at a time.
  template <class C, class F>
  void each(int64_t row, int64_t head, const F& f) const {
    const int64_t step = queries_at_once(call.keys.tokens), queries = call.queries.tokens;
    Blocks<C> blocks(call, {}, row, head);
    for (int64_t q = 0; q < queries; q += step)
      f(Attention<C>(s, probabilities, blocks, row, head, q, std::min(step, queries - q)), q);
  }

  template <class C>
  void add(int64_t row, int64_t head) const {
    const C* table = head_table<C>(plan, s, call.term.first_head + head);
    each<C>(row, head, [&](const Attention<C>& a, int64_t first) {
      const int64_t count = a.block.queries;
      const auto to = head_at(outputs, row, first, head);
      std::vector<C> sums(static_cast<size_t>(count * s.dim));
      read_rows(outputs.t.dtype, to, 1, sums.data(), count, s.dim);
      const auto shares = a.shares();
      cpu::mix_rows<C>(count, s.dim, a.lookup.count(), {shares.data() + 1, a.width()},
                       {table + a.lookup.first() * s.dim, s.dim}, {sums.data(), s.dim});
      write_rows(sums.data(), outputs.t.dtype, to, count, s.dim);
    });
  }

  // Adds to dprobabilities and returns the gradient of the head's table; outputs are dout here.
  template <class C>
  std::vector<double> backward(int64_t row, int64_t head, const Tensor& dprobabilities) const {
    const C* table = head_table<C>(plan, s, call.term.first_head + head);
    std::vector<double> dtable(static_cast<size_t>(s.rows() * s.dim));
    each<C>(row, head, [&](const Attention<C>& a, int64_t first) {
      const int64_t count = a.block.queries, rows = a.lookup.count();
      std::vector<C> dout(static_cast<size_t>(count * s.dim));
      read_rows(outputs.t.dtype, head_at(outputs, row, first, head), 1, dout.data(), count, s.dim);
      std::vector<C> drows(static_cast<size_t>(rows * s.dim));
      const auto shares = a.shares();
      cpu::mix_rows<C>(rows, s.dim, count, {shares.data() + 1, 1, a.width()}, {dout.data(), s.dim},
                       {drows.data(), s.dim});
      for (size_t n = 0; n < drows.size(); ++n)
        dtable[static_cast<size_t>(a.lookup.first() * s.dim) + n] += drows[n];
      if (dprobabilities.rank == 0) return;
      std::vector<C> dp(static_cast<size_t>(count * a.block.keys));
      QueryTerm<C>{a.lookup, count, a.block.keys, s.dim, dout.data(), table, a.block.keys}.add(
          dp.data());
      add_rows<C>(dp.data(), 1, rows_at(Batch(dprobabilities, 3), row, head, first), count,
                  a.block.keys);
    });
    return dtable;
  }
};

ContentCall check_outputs(const char* verb, const ContentPlan& plan, const Tensor& probabilities,
                          const Tensor& out, const ScoreOptions& options) {
  const Shaw& s = shaw_of(verb, plan);
  ContentCall call = check_call(verb, plan, probabilities, options);
  check_heads(verb, "out", out, probabilities, call.queries.tokens, s.dim, probabilities.dtype);
  call.reads = {.dim = s.dim};
  return call;
}

}  // namespace

void add_to_outputs(const ContentPlan& plan, const Tensor& probabilities, const Tensor& out,
                    const ScoreOptions& options) {
  const char* verb = "add_to_outputs";
  const ContentCall call = check_outputs(verb, plan, probabilities, out, options);
  check_inputs_apart(verb, "out", out, call, {});
  check_apart(verb, "out", out, "the probabilities", probabilities);
  const Outputs outputs{plan, call, shaw_of(verb, plan), Batch(probabilities, 3), Batch(out, 3)};
  const int64_t heads = call.term.heads;
  parallel_for(call.rows * heads, probabilities.elements() * size_of(out.dtype), [&](int64_t n) {
    if (out.dtype == DType::f64) return outputs.add<double>(n / heads, n % heads);
    outputs.add<float>(n / heads, n % heads);
  });
}

void outputs_backward(const ContentPlan& plan, const Tensor& probabilities, const Tensor& dout,
                      const Tensor& dprobabilities, std::span<const Tensor> dweights,
                      const ScoreOptions& options) {
  const char* verb = "outputs_backward";
  const ContentCall call = check_outputs(verb, plan, probabilities, dout, options);
  if (dprobabilities.rank > 0) {
    Tensor like = probabilities;
    like.dtype = compute_type(probabilities.dtype);
    check_same(verb, "dprobabilities", dprobabilities, like);
    check_inputs_apart(verb, "dprobabilities", dprobabilities, call, {});
    for (const Tensor& t : {probabilities, dout})
      check_apart(verb, "dprobabilities", dprobabilities, "what is read", t);
  }
  if (!dweights.empty()) check_gradients(verb, plan.parts().shapes, dweights, dout.dtype);
  check_gradients_apart(
      verb, dweights, {probabilities, dout, dprobabilities, options.queries.ids, options.keys.ids});
  const Shaw& s = shaw_of(verb, plan);
  const Outputs outputs{plan, call, s, Batch(probabilities, 3), Batch(dout, 3)};
  const int64_t heads = call.term.heads;
  std::vector<double> dtables(plan.parts().weights[0].size());
  ordered_parallel_for(
      call.rows * heads, probabilities.elements() * size_of(dout.dtype),
      [&](int64_t n) {
        if (dout.dtype == DType::f64)
          return outputs.backward<double>(n / heads, n % heads, dprobabilities);
        return outputs.backward<float>(n / heads, n % heads, dprobabilities);
      },
      [&](int64_t n, const std::vector<double>& dtable) {
        const int64_t head = call.term.first_head + n % heads;
        add_table(dtable, table_of(s.heads, head, s.rows() * s.dim), dtables);
      });
  if (!dweights.empty()) add_values(dweights[0], dtables);
}

}  // namespace posenc
