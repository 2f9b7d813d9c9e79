// attend.h: attention with a positional encoding.
//
//   posenc::attend(plan, {q, k, v}, out, {.queries = posenc::range(past), .causal = true});
//
// out = softmax(scale q . k + bias or term) v. A rotary plan rotates q and k first, including keys
// from a cache, so pass unrotated keys. A bias or content plan acts on the scores;
// std::monostate means no encoding. With any strides and the same batch axes,
//
//   q    [..., queries, heads, dim]          k  [..., keys, kv_heads, dim]
//   out  [..., queries, heads, value_dim]    v  [..., keys, kv_heads, value_dim]
//
// all of one type. heads is a multiple of kv_heads; consecutive heads share a key head.
// Scores are computed for a few queries at a time: memory grows with queries + keys, not with their
// product, and the next call reuses it. Intermediate results are f64 for f64 and f32 otherwise.
// The output of a query that attends to no key is zero. Nothing is written when an Error is
// thrown.
#pragma once

#include "posenc/content.h"
#include "posenc/scheme.h"

namespace POSENC_PUBLIC posenc {

struct QueriesKeysValues {
  Tensor q, k, v;
};

struct AttendOptions {
  // 0, 1, 2, ... by default; with a cache, queries begin at its length.
  Positions queries{}, keys{};
  // Queries do not attend to keys at later positions (on the first axis, for a bias). If positions
  // of a rotary plan have several axes, the order of tokens decides; the last query sees all keys.
  bool causal = false;
  std::optional<double> scale{};        // default: 1 / sqrt(dim)
  ScaleOn scale_on = ScaleOn::scores;   // or: the sum of scores and bias or term
  bool softmax_factor = false;          // multiply the scale by the rotary plan's factor
  std::optional<int64_t> first_head{};  // if q holds only some heads of the model
  Tensor gates{};                       // [..., keys, heads], for data-dependent decay
  std::optional<ContentPlan> values{};  // a Shaw plan whose vectors are added to values
};

// Absolute schemes are an Error, because they act before queries and keys exist.
void attend(const Plan& plan, const QueriesKeysValues& in, const Tensor& out,
            const AttendOptions& options = {});

}  // namespace posenc
