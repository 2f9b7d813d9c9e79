// term_gradient.cc: what the gradient of the scores says about everything a content term reads.
#include "base/sums.h"
#include "cpu/term_blocks.h"

namespace posenc::cpu {
namespace {

template <class C>
struct TermGradient {
  const TermGradientOrder& order;
  const TermCall<C>& call;
  int64_t keys = order.at.keys.tokens;

  static int64_t size(const Tensor& t, int64_t tokens) {
    return t.rank > 0 ? tokens * t.size(-1) : 0;
  }

  // All queries of one head; adds to dq, dk, dgates and dscores and returns the term's own sums.
  Scratch<double> head(int64_t row, int64_t head) const {
    const Tensor &q = order.term.q, &k = order.term.k;
    TermBlocks<C> blocks(call, order.term, row, head);
    Scratch<C> dq(size(q, blocks.most() + 1)), dk(size(k, keys), 0);
    Scratch<double> dgates(order.term.gates.rank > 0 ? keys : 0, 0), dsums(count_sums(call), 0);
    blocks.each(0, order.at.queries.tokens, [&](const TermBlock<C>& block, int64_t first) {
      std::fill(dq.begin(), dq.end(), C{0});
      some(row, head, first, block, {dq.data(), dk.data(), dgates.data(), dsums.data()});
      if (order.dq.rank > 0)
        add_to_rows<C>(dq.data(), 1, head_at(Batch(order.dq, 3), row, first, head),
                       block.queries() + block.ahead, q.size(-1));
    });
    if (order.dk.rank > 0)
      add_to_rows<C>(dk.data(), 1, head_at(Batch(order.dk, 3), row, 0, head), keys, k.size(-1));
    if (order.dgates.rank > 0)
      add_to_rows<C>(dgates.data(), 1, gates_at(Batch(order.dgates, 2), row, head), keys, 1);
    return dsums;
  }

  void some(int64_t row, int64_t head, int64_t first, const TermBlock<C>& block,
            const TermGradients<C>& gradients) const {
    const int64_t count = block.queries();
    const bool reads_scores = order.term.plan.reads().scores;
    Scratch<C> found(reads_scores ? count * keys : 0), g(count * keys);
    if (reads_scores)
      read_rows(order.scores.dtype, scores_at(Batch(order.scores, 3), row, head, first),
                order.term.before, found.data(), count, keys);
    read_rows(order.dout.dtype, scores_at(Batch(order.dout, 3), row, head, first), order.term.after,
              g.data(), count, keys);
    hide_keys(block, C{0}, g.data());
    term_backward(block, found.data(), g.data(), gradients);
    if (order.dscores.rank > 0)
      add_to_rows<C>(g.data(), order.term.before,
                     scores_at(Batch(order.dscores, 3), row, head, first), count, keys);
  }
};

template <class C>
void add_gradients(const TermGradientOrder& order) {
  const TermCall<C> call = start_call<C>(order.term, order.at);
  const TermGradient<C> gradient{order, call};
  const int64_t heads = call.heads, each = count_sums(call);
  Scratch<double> dsums(heads * each, 0);
  ordered_parallel_for(
      order.at.rows * heads, order.dout.elements() * size_of(order.dout.dtype),
      [&](int64_t n) { return gradient.head(n / heads, n % heads); },
      [&](int64_t n, const Scratch<double>& x) {
        add_numbers(x.data(), each, dsums.data() + n % heads * each);
      });
  if (order.dweights.empty()) return;
  const Sums sums(order.dweights);
  finish_sums(call, dsums.data(), sums.lists());
  sums.add_to(order.dweights);
}

}  // namespace

void run(const TermGradientOrder& order) {
  dispatch_compute(order.dout.dtype, [&]<class C>() { add_gradients<C>(order); });
}

}  // namespace posenc::cpu
