// call.h: what the content verbs are given, checked.
#pragma once

#include "content/plan.h"
#include "relative/line.h"

namespace posenc {

struct ContentCall {
  ContentReads reads;
  Line queries, keys;
  int64_t rows;
  TermCall term;
  bool causal;
  double scale_before, scale_after;  // on the scores, on their sum with the term
};

ContentCall check_call(const char* verb, const ContentPlan& plan, const Tensor& scores,
                       const ScoreOptions& options);

// The tensors that the scheme reads are given and fit the scores.
void check_inputs(const char* verb, const ContentCall& call, const ContentInputs& in,
                  const Tensor& scores);

// An output of which no element is written twice, apart from what the scheme reads.
void check_inputs_apart(const char* verb, const char* what, const Tensor& out,
                        const ContentCall& call, const ContentInputs& in);

// [..., tokens, heads, dim], of the batch axes and heads of the scores.
void check_heads(const char* verb, const char* what, const Tensor& t, const Tensor& scores,
                 int64_t tokens, int64_t dim, DType dtype);

}  // namespace posenc
