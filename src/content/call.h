// call.h: what the content verbs are given, checked.
#pragma once

#include "content/plan.h"
#include "relative/call.h"

namespace posenc {

// The term of a call and where its queries and keys stand.
struct ContentCall {
  TermSource term;  // its tensors only where the scheme reads them
  ScorePlaces at;
};

// Checks the options. The scores may be a shape alone, without data.
ContentCall check_content(const char* verb, const ContentPlan& plan, const Tensor& scores,
                          const ScoreOptions& options);
// The same, and the tensors that the scheme reads.
ContentCall check_content(const char* verb, const ContentPlan& plan, const ContentInputs& in,
                          const Tensor& scores, const ScoreOptions& options);

// An output of which no element is written twice, apart from what the scheme reads.
void check_inputs_apart(const char* verb, const char* what, const Tensor& out,
                        const ContentCall& call);

// [..., tokens, heads, dim], of the batch axes and heads of the scores; without dim where it is 0.
void check_heads(const char* verb, const char* what, const Tensor& t, const Tensor& scores,
                 int64_t tokens, int64_t dim, DType dtype);

}  // namespace posenc
