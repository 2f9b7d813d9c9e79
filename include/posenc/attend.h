// attend.h: attention that knows where its tokens stand.
//
//   posenc::attend(plan, {q, k, v}, out, {.queries = posenc::range(past), .causal = true});
//
// out = softmax(scale q . k + what the encoding says) v. A rotary plan rotates q and k first, keys
// of a cache too: give them as they were before. A bias or content plan acts on the scores;
// std::monostate is no encoding at all. With any strides and the same batch axes,
//
//   q    [..., queries, heads, dim]          k  [..., keys, kv_heads, dim]
//   out  [..., queries, heads, value_dim]    v  [..., keys, kv_heads, value_dim]
//
// of one type; heads is a multiple of kv_heads, and so many heads in a row share one of those.
// Scores exist for a few queries at a time: memory grows with queries + keys, never with their
// product, and is taken again by the next call. Everything between input and output is f64 for f64
// and f32 otherwise. A query that sees no key gets zeros. Nothing is written when an Error is
// thrown.
#pragma once

#include "posenc/content.h"
#include "posenc/scheme.h"

namespace POSENC_PUBLIC posenc {

struct QueriesKeysValues {
  Tensor q, k, v;
};

struct AttendOptions {
  // 0, 1, 2, ... each; with a cache queries begin at its length.
  Positions queries{}, keys{};
  // A query sees no key at a later position; of a bias the first axis counts. Where those of a
  // rotary plan have several axes the order of the text does, and the last query sees all keys.
  bool causal = false;
  std::optional<double> scale{};        // 1 / sqrt(dim) unless given
  ScaleOn scale_on = ScaleOn::scores;   // or on scores with their bias or term
  bool softmax_factor = false;          // the scale times that of a rotary plan
  std::optional<int64_t> first_head{};  // of the model, where q holds some of its heads
  Tensor gates{};                       // [..., keys, heads], for data-dependent decay
  std::optional<ContentPlan> values{};  // a Shaw whose vectors are added to the values
};

// An Error for the plan of an absolute scheme, which acts before queries and keys exist.
void attend(const Plan& plan, const QueriesKeysValues& in, const Tensor& out,
            const AttendOptions& options = {});

}  // namespace posenc
