// add_term.cc: scores with the term of a content scheme, some queries of one head at a time.
#include <limits>

#include "cpu/term_blocks.h"

namespace posenc::cpu {
namespace {

constexpr int64_t unit = 1024;  // queries that one thread takes, for which keys are read once

// Queries [first, last) of a head of a batch row.
template <class C>
void add_queries(const AddTermOrder& order, const TermCall<C>& call, int64_t row, int64_t head,
                 int64_t first, int64_t last) {
  const Batch scores(order.scores, 3), out(order.out, 3);
  const int64_t keys = order.at.keys.tokens;
  TermBlocks<C> blocks(call, order.term, row, head);
  Scratch<C> sums(blocks.most() * keys);
  blocks.each(first, last, [&](const TermBlock<C>& block, int64_t q) {
    const int64_t count = block.queries();
    read_rows(order.scores.dtype, scores_at(scores, row, head, q), order.term.before, sums.data(),
              count, keys);
    add_term(block, sums.data());
    for (int64_t n = 0; n < count * keys; ++n) sums[n] *= static_cast<C>(order.term.after);
    hide_keys(block, -std::numeric_limits<C>::infinity(), sums.data());
    write_rows(sums.data(), order.out.dtype, scores_at(out, row, head, q), count, keys);
  });
}

template <class C>
void add_terms(const AddTermOrder& order) {
  const TermCall<C> call = start_call<C>(order.term, order.at);
  const int64_t queries = order.at.queries.tokens, units = pieces(queries, unit);
  const int64_t heads = order.term.heads;
  parallel_for(order.at.rows * heads * units, order.out.elements() * size_of(order.out.dtype),
               [&](int64_t n) {
                 const int64_t first = n % units * unit;
                 add_queries(order, call, n / units / heads, n / units % heads, first,
                             std::min(first + unit, queries));
               });
}

}  // namespace

void run(const AddTermOrder& order) {
  dispatch_compute(order.out.dtype, [&]<class C>() { add_terms<C>(order); });
}

}  // namespace posenc::cpu
