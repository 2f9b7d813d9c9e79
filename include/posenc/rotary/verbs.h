// verbs.h: what a rotary plan does; knows no scheme but by name.
#pragma once

#include "posenc/absolute/verbs.h"
#include "posenc/frequencies.h"
#include "posenc/layout.h"

namespace POSENC_PUBLIC posenc {

struct PairAxis;
struct Rope;

// What is worth keeping of a scheme for texts of some length.
class RotaryPlan {
 public:
  const Rope& scheme() const;
  int64_t axes() const;
  // For each pair, unless they are learned: radians per position, and the axis whose positions it
  // reads.
  const std::vector<Frequency>& frequencies() const&;
  const std::vector<PairAxis>& pairs() const&;
  void frequencies() && = delete;  // they live in the plan
  void pairs() && = delete;
  // The longest text that has these frequencies; INT64_MAX unless a length rule says less. Verbs
  // refuse positions from there on: such a text needs a plan of its own.
  int64_t max_length() const;
  // The factor on cosines and sines, which rotate() applies, and the one on the softmax scale,
  // which is the caller's.
  double cos_sin_factor() const;
  double softmax_factor() const;
  // Cosines and sines as rows [cos_0 .. cos_n-1 | sin_0 .. sin_n-1], one such row for each head
  // with frequencies of its own: fill(plan.table(), ...) makes what engines keep.
  // Of a plan with phases, these are the rows of keys.
  const AbsolutePlan& table() const;

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  RotaryPlan() = default;
  explicit RotaryPlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// Queries and keys; a tensor of rank 0 is left out.
struct QueriesKeys {
  Tensor q{}, k{};
};

// out = in, rotated. Each output is its input or apart from it, and q apart from k; slices of one
// buffer that interleave are apart.
void rotate(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at = range(), Stream stream = {});
// The gradient: dx = the transposed rotation of dy. Not the inverse unless the magnitude is 1.
void rotate_adjoint(const RotaryPlan& plan, const QueriesKeys& dy, const QueriesKeys& dx,
                    const Positions& at = range(), Stream stream = {});
// Undoes the rotation and its magnitude.
void rotate_inverse(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                    const Positions& at = range(), Stream stream = {});

// In place.
inline void rotate(const RotaryPlan& plan, const QueriesKeys& x, const Positions& at = range(),
                   Stream stream = {}) {
  rotate(plan, x, x, at, stream);
}

// Cosines and sines that someone else made, each [positions, pairs] of any float type.
struct CosSin {
  Tensor cos, sin;
};
// out = in, rotated by row p of the table for a token at position p: all features of the heads, or
// the first 2 * pairs of them.
void rotate(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at = range(), Stream stream = {});
void rotate_adjoint(const CosSin& table, Layout layout, const QueriesKeys& dy,
                    const QueriesKeys& dx, const Positions& at = range(), Stream stream = {});

// Adds the gradient of what is learned to dweight, f32 (f64 for f64): frequencies [heads, pairs,
// axes], phases [heads, pairs] or coefficients [2, heads, kept, kept] (those on the CPU alone).
// x: what rotate() was given; dy: the gradient of what it returned. Sums run in a fixed order.
void backward(const RotaryPlan& plan, const QueriesKeys& x, const QueriesKeys& dy,
              const Tensor& dweight, const Positions& at = range(), Stream stream = {});

// Features as lengths (PoPE): out [..., 2 n] = pairs (ln(1 + e^x), 0) of x [..., n], of one type,
// in a layout; a plan of 2 n features then rotates them, and their products depend on distances and
// lengths alone.
void to_polar(const Tensor& x, const Tensor& out, Layout layout, Stream stream = {});
// dx = what dout, the gradient of out, says about x; dx may be x.
void to_polar_backward(const Tensor& x, const Tensor& dout, const Tensor& dx, Layout layout,
                       Stream stream = {});

// Rotates cached keys, in place, from where and how they stand to where and how they should: other
// positions (K-shift), another base, rule or length, other coordinates. Keys that were rotated by
// `from` become what `to` would have made of them; a magnitude both share is not applied again.
void move(const RotaryPlan& from, const Positions& was, const RotaryPlan& to, const Positions& is,
          const Tensor& k, Stream stream = {});

}  // namespace posenc
