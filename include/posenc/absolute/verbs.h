// verbs.h: functions on plans of absolute schemes; independent of particular schemes.
#pragma once

#include "posenc/plan.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// The precomputed state of a scheme: its frequencies and the constants of its recurrence. Weights
// are read when the plan is made, except learned tables, which must outlive the plan.
class AbsolutePlan {
 public:
  int64_t dim() const;
  int64_t axes() const;

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  AbsolutePlan() = default;
  explicit AbsolutePlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// table[..., t, :] = row(position of t). table: [..., tokens, dim].
void fill(const AbsolutePlan& plan, const Tensor& table, const Positions& at = range(),
          Stream stream = {});

// out = x + row(position). x, out: [..., tokens, dim]; out may be x.
void add(const AbsolutePlan& plan, const Tensor& x, const Tensor& out,
         const Positions& at = range(), Stream stream = {});
// In place.
inline void add(const AbsolutePlan& plan, const Tensor& x, const Positions& at = range(),
                Stream stream = {}) {
  add(plan, x, x, at, stream);
}

// out = x + table[position], with a given table: [positions, dim] of any float type.
void add_rows(const Tensor& table, const Tensor& x, const Tensor& out,
              const Positions& at = range(), Stream stream = {});

struct EmbedOptions {
  double scale = 1;  // of the token's embedding; often sqrt(dim)
  Positions at{};
};

// out = scale * embedding[id] + row(position), in one pass.
// ids: i32 or i64 [..., tokens]; embedding: [vocabulary, dim]; out: [..., tokens, dim].
void embed(const AbsolutePlan& plan, const Tensor& ids, const Tensor& embedding, const Tensor& out,
           const EmbedOptions& options = {}, Stream stream = {});

// Adds the gradients of learned weights to dweights, one f32 (f64 for an f64 dout) tensor for each
// of the scheme's weights(). The gradient of x is dout itself. Sums run in a fixed order.
void backward(const AbsolutePlan& plan, const Tensor& dout, std::span<const Tensor> dweights,
              const Positions& at = range(), Stream stream = {});

// Adds the gradient of the embedding to dembedding: [vocabulary, dim], f32, or f64 for f64.
void embed_backward(const Tensor& ids, const Tensor& dout, const Tensor& dembedding,
                    double scale = 1, Stream stream = {});

}  // namespace posenc
