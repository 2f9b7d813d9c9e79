// add.cc: scores with the term of a content scheme, some queries of one head at a time.
#include <limits>

#include "base/check.h"
#include "base/parallel.h"
#include "content/blocks.h"

namespace posenc {
namespace {

constexpr int64_t unit = 1024;  // queries that one thread takes, for which keys are read once

template <class C>
struct Adder {
  const ContentCall& call;
  const ContentInputs& in;
  const Term<C>& term;
  Batch scores, out;

  void queries(int64_t row, int64_t head, int64_t first, int64_t last) const {
    const int64_t keys = call.keys.tokens, step = queries_at_once(keys);
    Blocks<C> blocks(call, in, row, head);
    std::vector<C> sums(static_cast<size_t>(step * keys));
    for (int64_t q = first; q < last; q += step) {
      const int64_t count = std::min(step, last - q);
      const TermBlock<C> block = blocks.at(q, count);
      read_rows(scores.t.dtype, rows_at(scores, row, head, q), call.scale_before, sums.data(),
                count, keys);
      term.add(block, sums.data());
      for (C& s : sums) s *= static_cast<C>(call.scale_after);
      hide(block, -std::numeric_limits<C>::infinity(), sums.data());
      write_rows(sums.data(), out.t.dtype, rows_at(out, row, head, q), count, keys);
    }
  }
};

template <class C>
void add_all(const ContentPlan& plan, const ContentCall& call, const ContentInputs& in,
             const Tensor& scores, const Tensor& out) {
  const Term<C> term = make_term<C>(plan.parts(), call.term);
  const Adder<C> adder{call, in, term, Batch(scores, 3), Batch(out, 3)};
  const int64_t queries = call.queries.tokens, units = (queries + unit - 1) / unit;
  const int64_t heads = call.term.heads;
  parallel_for(call.rows * heads * units, out.elements() * size_of(out.dtype), [&](int64_t n) {
    const int64_t first = n % units * unit;
    adder.queries(n / units / heads, n / units % heads, first, std::min(first + unit, queries));
  });
}

}  // namespace

void add(const ContentPlan& plan, const ContentInputs& in, const Tensor& scores, const Tensor& out,
         const ScoreOptions& options) {
  const ContentCall call = check_call("add", plan, scores, options);
  check_inputs("add", call, in, scores);
  check_same("add", "out", out, scores);
  check_overlap("add", scores, out);
  check_inputs_apart("add", "out", out, call, in);
  if (out.elements() == 0) return;
  if (scores.dtype == DType::f64) return add_all<double>(plan, call, in, scores, out);
  add_all<float>(plan, call, in, scores, out);
}

void add(const Content& scheme, const ContentInputs& in, const Tensor& scores,
         const ScoreOptions& options, const PlanOptions& plan) {
  add(prepare(scheme, plan), in, scores, options);
}

}  // namespace posenc
