// gradient.cc: what the gradient of the scores says about everything a content term reads.
#include "base/check.h"
#include "base/parallel.h"
#include "base/sums.h"
#include "content/blocks.h"

namespace posenc {
namespace {

template <class V>
V zero_lists(const std::vector<int64_t>& lengths) {
  V out;
  out.reserve(lengths.size());
  for (const int64_t n : lengths) out.emplace_back(static_cast<size_t>(n));
  return out;
}

void add_lists(const WeightValues& x, WeightValues& sum) {
  for (size_t i = 0; i < x.size(); ++i)
    for (size_t n = 0; n < x[i].size(); ++n) sum[i][n] += x[i][n];
}

template <class C>
struct Walk {
  const ContentCall& call;
  const ContentInputs& in;
  const Term<C>& term;
  Batch scores, dout;
  const ContentGradients& to;

  bool wants(const Tensor& t, bool read) const { return t.rank > 0 && read; }
  size_t size(int64_t tokens, bool read) const {
    return static_cast<size_t>(read ? tokens * std::max<int64_t>(call.reads.dim, 1) : 0);
  }

  // All queries of one head; adds to dq, dk, dgates and dscores and returns the term's own sums.
  WeightValues head(int64_t row, int64_t head) const {
    const int64_t keys = call.keys.tokens, dim = call.reads.dim, step = queries_at_once(keys);
    Blocks<C> blocks(call, in, row, head);
    std::vector<C> dk(size(keys, call.reads.k));
    std::vector<double> dgates(static_cast<size_t>(call.reads.gates ? keys : 0));
    auto dsums = zero_lists<WeightValues>(term.sums);
    for (int64_t q = 0; q < call.queries.tokens; q += step) {
      const int64_t count = std::min(step, call.queries.tokens - q);
      const TermBlock<C> block = blocks.at(q, count);
      std::vector<C> dq(size(count + block.ahead, call.reads.q));
      some(row, head, q, block, {dq.data(), dk.data(), dgates.data(), dsums});
      if (wants(to.dq, call.reads.q))
        add_rows<C>(dq.data(), 1, head_at(Batch(to.dq, 3), row, q, head), count + block.ahead, dim);
    }
    if (wants(to.dk, call.reads.k))
      add_rows<C>(dk.data(), 1, head_at(Batch(to.dk, 3), row, 0, head), keys, dim);
    if (wants(to.dgates, call.reads.gates)) {
      const Batch gates(to.dgates, 2);
      add_rows<C>(dgates.data(), 1, {gates.at(row, 0, head), gates.t.step(-2), 0}, keys, 1);
    }
    return dsums;
  }

  void some(int64_t row, int64_t head, int64_t first, const TermBlock<C>& block,
            const TermGradients<C>& gradients) const {
    const int64_t keys = block.keys, count = block.queries;
    std::vector<C> found(static_cast<size_t>(call.reads.scores ? count * keys : 0));
    std::vector<C> g(static_cast<size_t>(count * keys));
    if (call.reads.scores)
      read_rows(scores.t.dtype, rows_at(scores, row, head, first), call.scale_before, found.data(),
                count, keys);
    read_rows(dout.t.dtype, rows_at(dout, row, head, first), call.scale_after, g.data(), count,
              keys);
    hide(block, C{0}, g.data());
    term.backward(block, found.data(), g.data(), gradients);
    if (wants(to.dscores, true))
      add_rows<C>(g.data(), call.scale_before, rows_at(Batch(to.dscores, 3), row, head, first),
                  count, keys);
  }
};

template <class C>
WeightValues all_heads(const ContentPlan::Parts& parts, const Walk<C>& walk, int64_t bytes) {
  const auto heads = static_cast<size_t>(walk.call.term.heads);
  std::vector<WeightValues> dsums(heads, zero_lists<WeightValues>(walk.term.sums));
  ordered_parallel_for(
      walk.call.rows * walk.call.term.heads, bytes,
      [&](int64_t n) { return walk.head(n / walk.call.term.heads, n % walk.call.term.heads); },
      [&](int64_t n, const WeightValues& x) {
        add_lists(x, dsums[static_cast<size_t>(n) % heads]);
      });
  WeightValues dweights;
  for (const auto& w : parts.weights) dweights.emplace_back(w.size());
  if (walk.term.finish) walk.term.finish(dsums, dweights);
  return dweights;
}

void check_targets(const ContentCall& call, const ContentGradients& to, const Tensor& scores) {
  const DType dtype = compute_type(scores.dtype);
  const auto check = [&](const char* what, const Tensor& t, int64_t tokens, int64_t dim) {
    if (t.rank > 0) check_heads("backward", what, t, scores, tokens, dim, dtype);
  };
  const ContentReads& reads = call.reads;
  if (reads.q) check("dq", to.dq, call.queries.tokens, reads.dim);
  if (reads.k) check("dk", to.dk, call.keys.tokens, reads.dim);
  if (reads.gates) check("dgates", to.dgates, call.keys.tokens, 0);
  if (to.dscores.rank == 0) return;
  Tensor like = scores;
  like.dtype = dtype;
  check_same("backward", "dscores", to.dscores, like);
}

// The gradients that are written, apart from each other and from all that is read.
void check_targets_apart(const ContentCall& call, const ContentInputs& in,
                         const ContentGradients& to, std::span<const Tensor> dweights,
                         std::initializer_list<Tensor> read) {
  const ContentReads& reads = call.reads;
  std::vector<Tensor> written(dweights.begin(), dweights.end());
  if (reads.q) written.push_back(to.dq);
  if (reads.k) written.push_back(to.dk);
  if (reads.gates) written.push_back(to.dgates);
  written.push_back(to.dscores);
  for (size_t i = 0; i < written.size(); ++i) {
    if (written[i].rank == 0) continue;
    check_inputs_apart("backward", "a gradient", written[i], call, in);
    for (const Tensor& t : read)
      check_apart("backward", "a gradient", written[i], "what is read", t);
    for (size_t j = 0; j < i; ++j)
      check_apart("backward", "a gradient", written[i], "another", written[j]);
  }
}

}  // namespace

void backward(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores,
              const Tensor& dout, const ContentGradients& gradients,
              std::span<const Tensor> dweights, const ScoreOptions& options) {
  const auto& parts = plan.parts();
  const ContentCall call = check_call("backward", plan, scores, options);
  check_inputs("backward", call, in, scores);
  check_same("backward", "dout", dout, scores);
  check_targets(call, gradients, scores);
  if (!dweights.empty()) check_gradients("backward", parts.shapes, dweights, scores.dtype);
  check_targets_apart(call, in, gradients, dweights, {scores, dout});
  if (dout.elements() == 0) return;
  const auto walk = [&]<class C>(C) {
    const Term<C> term = make_term<C>(parts, call.term);
    return all_heads(parts, Walk<C>{call, in, term, Batch(scores, 3), Batch(dout, 3), gradients},
                     dout.elements() * size_of(dout.dtype));
  };
  const WeightValues sums = scores.dtype == DType::f64 ? walk(double{}) : walk(float{});
  for (size_t w = 0; w < dweights.size(); ++w) add_values(dweights[w], sums[w]);
}

}  // namespace posenc
