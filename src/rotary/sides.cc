// sides.cc: what the rotary verbs check, and the step from heads to the kernel.
#include "rotary/sides.h"

#include <algorithm>

#include "base/check.h"
#include "rotary/magnitudes.h"

namespace posenc {
namespace {

void check_heads(const char* verb, const char* what, const Tensor& t, int64_t dim) {
  if (t.rank < 3 || t.rank > max_rank || !is_float(t.dtype) || t.size(-1) != dim)
    fail(verb, "expected ", what, " as f32, f64, f16 or bf16 [..., tokens, heads, ", dim, "], got ",
         describe(t));
  check_memory(verb, what, t);
}

// Whether it is in place.
bool check_side(const char* verb, const char* what, const RotaryPlan& plan, const Tensor& in,
                const Tensor& out, std::optional<Side>& side) {
  const Rope& rope = plan.scheme();
  check_heads(verb, what, in, rope.dim);
  const bool in_place = same_view(in, out);
  if (!in_place) {
    check_same(verb, *what == 'q' ? "q of the output" : "k of the output", out, in);
    check_overlap(verb, in, out);
  }
  check_output(verb, out);
  const int64_t heads = in.size(-2);
  const int64_t first = rope.first_head < 0 ? heads + rope.first_head : rope.first_head;
  const int64_t turning = rope.rotary_heads.value_or(std::max<int64_t>(heads - first, 0));
  if (first < 0 || first > heads || turning > heads - first)
    fail(verb, "expected ", what, " with the heads first_head ", rope.first_head,
         " and rotary_heads speak of, got ", heads, " heads");
  const int64_t rows = plan.parts().heads_with_rows;
  if (rows > 1 && rows != turning)
    fail(verb, "expected ", what, " with ", rows, " turning heads, as many as have frequencies, ",
         "got ", turning);
  side.emplace(in, out, *what == 'q', first, turning);
  return in_place;
}

// All sizes but the heads.
bool same_tokens(const Tensor& a, const Tensor& b) {
  return a.rank == b.rank && a.size(-3) == b.size(-3) &&
         std::equal(a.shape.begin(), a.shape.begin() + a.rank - 3, b.shape.begin());
}

}  // namespace

Sides check_sides(const char* verb, const RotaryPlan& plan, const QueriesKeys& in,
                  const QueriesKeys& out, const Positions& at) {
  Sides sides;
  if (in.q.rank == 0 && in.k.rank == 0) fail(verb, "expected q, k or both, got neither");
  bool same_q = true, same_k = true;
  if (in.q.rank || out.q.rank) same_q = check_side(verb, "q", plan, in.q, out.q, sides.both[0]);
  if (in.k.rank || out.k.rank) same_k = check_side(verb, "k", plan, in.k, out.k, sides.both[1]);
  const Side& first = sides.both[0] ? *sides.both[0] : *sides.both[1];
  if (sides.both[0] && sides.both[1]) {
    if (in.q.dtype != in.k.dtype || !same_tokens(in.q, in.k))
      fail(verb, "expected q and k of one type that differ in their heads only, got ",
           describe(in.q), " and ", describe(in.k));
    check_apart(verb, "q", out.q, "k", out.k);
    if (!same_q) check_apart(verb, "q", in.q, "k of the output", out.k);
    if (!same_k) check_apart(verb, "k", in.k, "q of the output", out.q);
  }
  for (const auto& side : sides.both)
    if (side) sides.bytes += side->in.t.elements() * size_of(side->in.t.dtype);
  sides.rows = first.in.rows, sides.tokens = first.in.tokens(), sides.dtype = first.in.t.dtype;
  check_positions(verb, plan.table().source(), at, sides.rows, sides.tokens);
  for (const Tensor* t : {&out.q, &out.k}) check_apart(verb, *t, at);
  check_magnitudes(verb, plan, at, sides.rows, sides.tokens);
  return sides;
}

void turn_part(const Rope& rope, Layout layout, const Batch& in, const Batch& out, const Part& part,
               const cpu::Angles& angles, bool far) {
  const int64_t pairs = rope.pairs() / rope.blocks;
  const DType dtype = in.t.dtype;
  for (int64_t b = 0; b < rope.blocks; ++b) {
    cpu::Angles by = angles;
    by.cosines = static_cast<const char*>(by.cosines) + b * pairs * size_of(compute_type(dtype));
    const int64_t feature = rope.first_feature() + 2 * b * pairs;
    cpu::rotate(dtype, layout, pairs, heads_at(in, part.row, part.token, part.head, feature),
                heads_at(out, part.row, part.token, part.head, feature), part.tokens, part.heads,
                by, far);
  }
}

}  // namespace posenc
