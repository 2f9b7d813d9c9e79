// call.h: what verbs on scores are given, checked.
#pragma once

#include "base/batch.h"
#include "base/check.h"
#include "orders/orders.h"
#include "relative/plan.h"

namespace posenc {

// The first of the model's heads that the scores hold. An Error where they hold some of them and
// first_head was not given.
int64_t check_first_head(const char* verb, int64_t all_heads, const Tensor& scores,
                         const ScoreOptions& options);

// Throws Error unless they are floats [..., heads, queries, keys].
void check_scores(const char* verb, const Tensor& scores);

// Throws Error unless the positions are [1 or axes, 1 or rows, tokens], finite and within 2^52.
void check_places(const char* verb, const char* what, const Places& at, int64_t rows,
                  int64_t axes = 1);

// Where the queries and keys of scores stand. The scores may be a shape alone, without data.
ScorePlaces check_options(const char* verb, const Tensor& scores, const ScoreOptions& options,
                          bool whole, int64_t axes = 1);

// The output lies apart from the positions.
inline void check_apart(const char* verb, const Tensor& out, const ScoreOptions& options) {
  check_apart(verb, out, options.queries);
  check_apart(verb, out, options.keys);
}

// Checks all of a bias verb's options; heads: of the whole scheme.
ScorePlaces check_call(const char* verb, const BiasFormula& formula, int64_t heads,
                       const Tensor& scores, const ScoreOptions& options);

// Biases of a call, and the profile that they lie on as long as it runs.
struct CallBiases {
  BiasSource source;
  Borrowed<Profile> profile{};
};
CallBiases biases_of(const BiasPlan::Parts& parts, const ScorePlaces& at,
                     const ScoreOptions& options, Device device, DType dtype);
// The same without their values, which other devices than the CPU make themselves.
BiasSource bias_source(const BiasFormula& formula, const ScorePlaces& at,
                       const ScoreOptions& options);

}  // namespace posenc
