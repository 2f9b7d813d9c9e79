// call.h: what the bias verbs are given, checked.
#pragma once

#include "base/check.h"
#include "relative/line.h"
#include "relative/plan.h"

namespace posenc {

struct BiasCall {
  const BiasFormula& formula;
  Line queries, keys;
  int64_t rows, heads, first_head;
  double factor;  // on the bias

  bool shared() const { return queries.shared() && keys.shared(); }  // by all batch rows
};

// heads: of the whole scheme.
BiasCall check_call(const char* verb, const BiasFormula& formula, int64_t heads,
                    const Tensor& scores, const ScoreOptions& options);
inline BiasCall check_call(const char* verb, const BiasPlan& plan, const Tensor& scores,
                           const ScoreOptions& options) {
  return check_call(verb, plan.parts().formula, plan.heads(), scores, options);
}

// The output lies apart from the positions.
inline void check_apart(const char* verb, const Tensor& out, const ScoreOptions& options) {
  check_apart(verb, out, options.queries);
  check_apart(verb, out, options.keys);
}

// Scores from `query` on, of one head of a batch row.
inline cpu::Block rows_at(const Batch& batch, int64_t row, int64_t head, int64_t query) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, head)) + query * t.step(-2) * size_of(t.dtype);
  return {data, t.step(-2), t.step(-1)};
}

// How many keys a query sees under a causal mask, where the keys are a run.
inline int64_t seen_keys(const BiasCall& call, int64_t row, int64_t query) {
  const double seen = call.queries.value(row, query) - call.keys.value(row, 0) + 1;
  const auto keys = static_cast<double>(call.keys.tokens);
  return static_cast<int64_t>(seen < 0 ? 0 : seen > keys ? keys : seen);
}

}  // namespace posenc
