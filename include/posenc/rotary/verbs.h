// verbs.h: functions on plans of rotary schemes; independent of particular schemes.
#pragma once

#include "posenc/absolute/verbs.h"
#include "posenc/frequencies.h"
#include "posenc/layout.h"

namespace POSENC_PUBLIC posenc {

struct PairAxis;
struct Rope;

// The precomputed state of a scheme for texts of a given length.
class RotaryPlan {
 public:
  const Rope& scheme() const;
  int64_t axes() const;
  // For each pair, unless frequencies are learned: its frequency, and the axis whose positions it
  // reads.
  const std::vector<Frequency>& frequencies() const&;
  const std::vector<PairAxis>& pairs() const&;
  void frequencies() && = delete;  // they belong to the plan
  void pairs() && = delete;
  // The longest text with these frequencies; INT64_MAX unless a length rule limits it. Later
  // positions are refused: a longer text needs another plan.
  int64_t max_length() const;
  // The factor on cosines and sines, which rotate() applies, and the one on the softmax scale,
  // which the caller must apply.
  double cos_sin_factor() const;
  double softmax_factor() const;
  // Cosines and sines as rows [cos_0 .. cos_n-1 | sin_0 .. sin_n-1], one such row for each head
  // with its own frequencies: fill(plan.table(), ...) makes a table for an engine's kernels.
  // For a plan with phases, these are the rows of keys.
  const AbsolutePlan& table() const;

  struct Parts;  // internal
  const Parts& parts() const { return plan_parts(parts_); }
  RotaryPlan() = default;
  explicit RotaryPlan(detail::Shared<Parts> parts) : parts_(std::move(parts)) {}

 private:
  detail::Shared<Parts> parts_;
};

// Queries and keys; rank 0 means left out.
struct QueriesKeys {
  Tensor q{}, k{};
};

// out = in, rotated. Each output is its input or does not overlap it, and q does not overlap k;
// interleaved slices of one buffer that share no element do not overlap.
void rotate(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at = range(), Stream stream = {});
// The gradient: dx = the transposed rotation of dy. It is the inverse only if the magnitude is 1.
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

// Given cosines and sines, each [positions, pairs] of any float type.
struct CosSin {
  Tensor cos, sin;
};
// out = in, rotated by row p of the table for a token at position p: all features of a head, or
// its first 2 * pairs.
void rotate(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at = range(), Stream stream = {});
void rotate_adjoint(const CosSin& table, Layout layout, const QueriesKeys& dy,
                    const QueriesKeys& dx, const Positions& at = range(), Stream stream = {});

// Adds the gradient of the learned weight to dweight, f32 (f64 for f64): frequencies [heads, pairs,
// axes], phases [heads, pairs] or coefficients [2, heads, mixed, mixed] (these on the CPU only).
// x: the input of rotate(); dy: the gradient of its output. Sums run in a fixed order.
void backward(const RotaryPlan& plan, const QueriesKeys& x, const QueriesKeys& dy,
              const Tensor& dweight, const Positions& at = range(), Stream stream = {});

// Features as lengths (PoPE): out [..., 2 n] = pairs (ln(1 + e^x), 0) of x [..., n], of one type,
// in the given layout. A plan of 2 n features then rotates them, and dot products depend only on
// distances and lengths.
void to_polar(const Tensor& x, const Tensor& out, Layout layout, Stream stream = {});
// dx = the gradient of x, given dout, that of out; dx may be x.
void to_polar_backward(const Tensor& x, const Tensor& dout, const Tensor& dx, Layout layout,
                       Stream stream = {});

// Moves cached keys, in place, to other positions (K-shift), another base, rule or length, or other
// coordinates. Keys that were rotated by `from` at positions `was` become those rotated by `to` at
// positions `is`; a magnitude that both share is not applied again.
void move(const RotaryPlan& from, const Positions& was, const RotaryPlan& to, const Positions& is,
          const Tensor& k, Stream stream = {});

}  // namespace posenc
