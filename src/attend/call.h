// attend_call.h: what attend() was given, checked.
#pragma once

#include "content/call.h"
#include "posenc/attend.h"
#include "relative/call.h"

namespace posenc {

struct AttendCall {
  const Plan& encoding;
  const QueriesKeysValues& in;
  const Tensor& out;
  const AttendOptions& options;
  BiasCall bias;  // positions of all; a formula only where there is a bias
  std::optional<ContentCall> content;
  bool causal;
  double scale;

  int64_t rows() const { return bias.rows; }
  int64_t heads() const { return bias.heads; }
  int64_t queries() const { return bias.queries.tokens; }
  int64_t keys() const { return bias.keys.tokens; }
  int64_t dim() const { return in.q.size(-1); }
  int64_t value_dim() const { return out.size(-1); }
  int64_t kv_head(int64_t head) const { return head / (heads() / in.k.size(-2)); }
};

// Queries [first, first + count) of a head.
struct QueryBlock {
  int64_t row, head, first, count;
};

}  // namespace posenc
