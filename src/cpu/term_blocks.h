// term_blocks.h: what a term reads in the compute type, some queries of one head at a time.
#pragma once

#include "base/parallel.h"
#include "cpu/score_rows.h"
#include "cpu/terms/term.h"

namespace posenc::cpu {

// So many queries that their scores stay in the cache.
inline int64_t queries_at_once(int64_t keys) {
  return std::clamp<int64_t>((int64_t{1} << 17) / std::max<int64_t>(keys, 1), 4, 64);
}

template <class C>
class TermBlocks {
 public:
  TermBlocks(const TermCall<C>& call, const TermSource& source, int64_t row, int64_t head)
      : call_(call), source_(source), row_(row), head_(head), step_(queries_at_once(keys())) {
    const Tensor &k = source.k, &q = source.q, &gates = source.gates;
    if (q.rank > 0) q_ = Scratch<C>((step_ + 1) * q.size(-1));
    if (k.rank > 0) {
      k_ = Scratch<C>(keys() * k.size(-1));
      read_rows(k.dtype, head_at(Batch(k, 3), row, 0, head), 1, k_.data(), keys(), k.size(-1));
    }
    if (gates.rank > 0) {
      gates_ = Scratch<C>(keys());
      read_column(gates.dtype, gates_at(Batch(gates, 2), row, head), gates_.data(), keys());
    }
  }

  int64_t keys() const { return call_.at.keys.tokens; }

  // f(block, its first query) for queries [first, last). A block lives until the next.
  template <class F>
  void each(int64_t first, int64_t last, const F& f) {
    for (int64_t q = first; q < last; q += step_) f(at(q, std::min(step_, last - q)), q);
  }
  int64_t most() const { return step_; }  // queries of a block

 private:
  TermBlock<C> at(int64_t first, int64_t count) {
    const Tensor& q = source_.q;
    const int64_t ahead = first + count < call_.at.queries.tokens ? 1 : 0;
    if (q.rank > 0)
      read_rows(q.dtype, head_at(Batch(q, 3), row_, first, head_), 1, q_.data(), count + ahead,
                q.size(-1));
    return {.call = call_,
            .at = call_.at.part(row_, first, count, keys()),
            .head = source_.first_head + head_,
            .q = q_.data(),
            .k = k_.data(),
            .gates = gates_.data(),
            .ahead = ahead,
            .scale = source_.after};
  }

  const TermCall<C>& call_;
  const TermSource& source_;
  int64_t row_, head_, step_;
  Scratch<C> q_, k_, gates_;
};

// value for the keys hidden from the queries of a block, in scores [queries, keys].
template <class C>
void hide_keys(const TermBlock<C>& block, C value, C* scores) {
  const bool run = block.at.keys.is_run(0);
  for (int64_t i = 0; i < block.queries(); ++i, scores += block.keys())
    block.at.each_hidden(0, i, run, [&](int64_t j) { scores[j] = value; });
}

}  // namespace posenc::cpu
