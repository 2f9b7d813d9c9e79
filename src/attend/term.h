// attend_term.h: the term of a content scheme, for a block of queries.
#pragma once

#include "attend/call.h"
#include "attend/heads.h"

namespace posenc {

// q and k are copies, whose rows are contiguous.
template <class C>
class AttendTerm {
 public:
  AttendTerm(const AttendCall& call, const HeadRows<C>& q, const HeadRows<C>& k)
      : call_(call),
        q_(q),
        k_(k),
        term_(make_term<C>(std::get<ContentPlan>(call.encoding).parts(), call.content->term)),
        query_at_(places(call.content->queries)),
        key_at_(places(call.content->keys)) {
    if (call.content->reads.gates) read_gates();
  }

  // scores [count, keys]: products of queries with the first keys, to be scaled and added to. What
  // is left of the scale is the softmax's.
  void add(const QueryBlock& b, int64_t keys, C* scores) const {
    const ContentCall& c = *call_.content;
    if (const auto scale = static_cast<C>(c.scale_before); scale != 1)
      for (int64_t n = 0; n < b.count * keys; ++n) scores[n] *= scale;
    const int64_t line = b.row * call_.heads() + b.head;
    const int64_t ahead = b.first + b.count < call_.queries() ? 1 : 0;
    const C* k = k_.at(b.row, call_.kv_head(b.head), 0);
    const TermBlock<C> block{c.term.first_head + b.head,
                             b.count,
                             keys,
                             c.reads.dim,
                             ahead,
                             c.reads.q ? q_.at(b.row, b.head, b.first) : nullptr,
                             c.reads.k ? k : nullptr,
                             c.reads.gates ? gates_.data() + line * call_.keys() : nullptr,
                             place(query_at_, c.queries, b.row) + b.first,
                             place(key_at_, c.keys, b.row),
                             c.causal,
                             c.scale_after};
    term_.add(block, scores);
  }

 private:
  std::vector<double> places(const Line& line) const {
    std::vector<double> out;
    for (int64_t row = 0; row < (line.shared() ? 1 : call_.rows()); ++row)
      for (int64_t t = 0; t < line.tokens; ++t) out.push_back(line.value(row, t));
    return out;
  }
  static const double* place(const std::vector<double>& at, const Line& line, int64_t row) {
    return at.data() + (line.shared() ? 0 : row * line.tokens);
  }

  // gates_[row, head, key].
  void read_gates() {
    const Tensor& t = call_.options.gates;
    const Batch from(t, 2);
    const int64_t keys = call_.keys(), heads = call_.heads();
    gates_.resize(static_cast<size_t>(call_.rows() * heads * keys));
    for (int64_t n = 0; n < call_.rows() * heads; ++n)
      cpu::scale_row(t.dtype, {from.at(n / heads, 0, n % heads), 0, t.step(-2)}, 1, dtype_of<C>,
                     gates_.data() + n * keys, keys);
  }

  const AttendCall& call_;
  const HeadRows<C>&q_, &k_;
  Term<C> term_;
  std::vector<double> query_at_, key_at_;
  std::vector<C> gates_;
};

}  // namespace posenc
