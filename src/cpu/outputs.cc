// outputs.cc: vectors of the distance in the values, and their gradients.
#include "base/sums.h"
#include "cpu/term_blocks.h"

namespace posenc::cpu {
namespace {

template <class C>
struct Outputs {
  const OutputsOrder& order;
  const TermCall<C>& call;
  Batch probabilities{order.probabilities, 3}, outputs{order.out, 3};
  int64_t keys = order.at.keys.tokens, dim = order.out.size(-1);
  DType dtype = order.out.dtype;

  // f(block, its first query, its probabilities, its rows of the outputs), some queries at a time.
  template <class F>
  void each(int64_t row, int64_t head, const F& f) const {
    TermBlocks<C> blocks(call, order.term, row, head);
    Scratch<C> p(blocks.most() * keys), rows(blocks.most() * dim);
    blocks.each(0, order.at.queries.tokens, [&](const TermBlock<C>& block, int64_t first) {
      const int64_t count = block.queries();
      read_rows(dtype, scores_at(probabilities, row, head, first), 1, p.data(), count, keys);
      read_rows(dtype, head_at(outputs, row, first, head), 1, rows.data(), count, dim);
      f(block, first, p.data(), rows.data());
    });
  }

  void add(int64_t row, int64_t head) const {
    each(row, head, [&](const TermBlock<C>& block, int64_t first, const C* p, C* sums) {
      add_vectors(block, p, keys, sums);
      write_rows(sums, dtype, head_at(outputs, row, first, head), block.queries(), dim);
    });
  }

  // Adds to dprobabilities and returns the gradient of the head's table.
  Scratch<double> backward(int64_t row, int64_t head) const {
    const Tensor& target = order.dprobabilities;
    Scratch<double> dtable(count_sums(call), 0);
    each(row, head, [&](const TermBlock<C>& block, int64_t first, const C* p, const C* dout) {
      Scratch<C> dp(target.rank > 0 ? block.queries() * keys : 0, 0);
      vectors_backward(block, p, dout, dtable.data(), target.rank > 0 ? dp.data() : nullptr);
      if (target.rank > 0)
        add_to_rows<C>(dp.data(), 1, scores_at(Batch(target, 3), row, head, first), block.queries(),
                       keys);
    });
    return dtable;
  }
};

template <class C>
void run_as(const OutputsOrder& order) {
  const TermCall<C> call = start_call<C>(order.term, order.at);
  const Outputs<C> outputs{order, call};
  const int64_t heads = call.heads, tasks = order.at.rows * heads;
  const int64_t bytes = order.probabilities.elements() * size_of(order.out.dtype);
  if (!order.backward)
    return parallel_for(tasks, bytes, [&](int64_t n) { outputs.add(n / heads, n % heads); });
  const int64_t each = count_sums(call);
  Scratch<double> dsums(heads * each, 0);
  ordered_parallel_for(
      tasks, bytes, [&](int64_t n) { return outputs.backward(n / heads, n % heads); },
      [&](int64_t n, const Scratch<double>& dtable) {
        add_numbers(dtable.data(), each, dsums.data() + n % heads * each);
      });
  if (order.dweights.empty()) return;
  const Sums sums(order.dweights);
  finish_sums(call, dsums.data(), sums.lists());
  sums.add_to(order.dweights);
}

}  // namespace

void run(const OutputsOrder& order) {
  dispatch_compute(order.out.dtype, [&]<class C>() { run_as<C>(order); });
}

}  // namespace posenc::cpu
