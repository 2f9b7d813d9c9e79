// call.cc: checks of queries, keys, positions and magnitudes.
#include "rotary/call.h"

#include <algorithm>

#include "base/batch.h"
#include "base/bits.h"
#include "base/device_weights.h"
#include "base/limits.h"

namespace posenc {
namespace {

enum class HeadRole : uint8_t { query, key };
constexpr const char* name_of(HeadRole role) { return role == HeadRole::query ? "q" : "k"; }

void check_heads(const char* verb, HeadRole role, const Tensor& t, int64_t dim) {
  if (t.rank < 3 || t.rank > max_rank || !is_float(t.dtype) || t.size(-1) != dim)
    fail(ErrorKind::tensor, verb, "expected ", name_of(role),
         " as f32, f64, f16 or bf16 [..., tokens, heads, ", dim, "], got ", describe(t));
  check_memory(verb, name_of(role), t);
}

void check_out(const char* verb, HeadRole role, const Tensor& in, const Tensor& out) {
  if (!same_view(in, out)) {
    check_same(verb, role == HeadRole::query ? "q of the output" : "k of the output", out, in);
    check_overlap(verb, in, out);
  }
  check_output(verb, out);
}

// The heads that are rotated.
RotaryHeads check_side(const char* verb, HeadRole role, const RotarySettings& settings,
                       const Tensor& in, const Tensor& out, bool needs_out) {
  check_heads(verb, role, in, settings.span.dim);
  if (needs_out || out.rank != 0) check_out(verb, role, in, out);
  const int64_t heads = in.size(-2);
  const int64_t first = settings.first_head + (settings.first_head < 0 ? heads : 0);
  const int64_t count = settings.rotary_heads.value_or(std::max<int64_t>(heads - first, 0));
  if (first < 0 || first > heads || count > heads - first)
    fail(verb, "expected ", name_of(role), " with the heads first_head ", settings.first_head,
         " and rotary_heads speak of, got ", heads, " heads");
  if (settings.row_heads > 1 && (count == 0 || count % settings.row_heads != 0))
    fail(verb, "expected ", name_of(role), " with ", settings.row_heads,
         " rotating heads, as many as have frequencies, phases or coefficients, or a multiple of "
         "them that share these, got ",
         count);
  return {in, out, first, count};
}

// All sizes but the heads.
bool same_tokens(const Tensor& a, const Tensor& b) {
  return a.rank == b.rank && a.size(-3) == b.size(-3) &&
         std::equal(a.shape.begin(), a.shape.begin() + a.rank - 3, b.shape.begin());
}

void check_both(const char* verb, const RotaryHeads& q, const RotaryHeads& k) {
  if (q.in.rank == 0 || k.in.rank == 0) return;
  if (q.in.dtype != k.in.dtype || !same_tokens(q.in, k.in))
    fail(ErrorKind::tensor, verb,
         "expected q and k of one type that differ in their heads only, got ", describe(q.in),
         " and ", describe(k.in));
  check_apart(verb, "q", q.out, "k", k.out);
  if (!same_view(q.in, q.out)) check_apart(verb, "q", q.in, "k of the output", k.out);
  if (!same_view(k.in, k.out)) check_apart(verb, "k", k.in, "q of the output", q.out);
}

void check_position(const char* verb, const Magnitudes& m, double position) {
  const double factor = m.query(position);
  if (!is_finite(factor) || factor <= 0)
    fail(verb, "expected positions where the temperature on q is positive, got ", position);
  if (m.turning > 0 && !(std::abs(m.decay_exponent(position) * m.log_decay(0)) < 80))
    fail(verb, "expected positions near decay.center, where xPos does not overflow, got ",
         position);
}

// Throws Error where a factor would overflow or vanish.
void check_magnitudes(const char* verb, const RotarySettings& settings, const Places& at,
                      int64_t rows) {
  if (!settings.magnitudes.any() || !at.on_host()) return;
  const auto offset = static_cast<double>(settings.offset);
  for (int64_t row = 0; row < (at.shared() ? std::min<int64_t>(rows, 1) : rows); ++row)
    for (int64_t token = 0; token < at.tokens; ++token)
      check_position(verb, settings.magnitudes, at.value(row, token) + offset);
}

}  // namespace

CheckedTable check_table(const char* verb, const CosSin& table, Layout layout,
                         const QueriesKeys& in) {
  check_choices(verb, layout, "the layout");
  const Tensor &c = table.cos, &s = table.sin, &some = in.q.rank > 0 ? in.q : in.k;
  const int64_t dim = some.rank > 0 ? some.size(-1) : 0, most = std::min(dim / 2, max_pairs);
  if (c.rank != 2 || !is_float(c.dtype) || c.dtype != s.dtype || !same_shape(c, s) ||
      c.size(1) > most)
    fail(ErrorKind::tensor, verb, "expected cos and sin as one float type [positions, up to ", most,
         " pairs], got ", describe(c), " and ", describe(s));
  check_memory(verb, "cos", c);
  check_memory(verb, "sin", s);
  RowSource rows;
  rows.dim = 2 * c.size(1), rows.table = Table{.rows = c, .more = s};
  return {std::move(rows), RotarySettings{{dim, 0, c.size(1), 1, layout}}};
}

void check_apart(const char* verb, const Tensor& out, const CosSin& table) {
  check_apart(verb, "the output", out, "the table", table.cos);
  check_apart(verb, "the output", out, "the table", table.sin);
}

RotateOrder check_rotate(const char* verb, const RotarySettings& settings, const RowSource& rows,
                         const QueriesKeys& in, const QueriesKeys& out, const Positions& at,
                         NeededOutputs needed) {
  if (in.q.rank == 0 && in.k.rank == 0) fail(verb, "expected q, k or both, got neither");
  const auto side = [&](HeadRole role, const Tensor& from, const Tensor& to, bool needs_out) {
    if (from.rank == 0 && to.rank == 0) return RotaryHeads{};
    return check_side(verb, role, settings, from, to, needs_out);
  };
  RotateOrder order{rows,
                    settings.row_heads,
                    {},  // made in place: its tensors are long
                    side(HeadRole::query, in.q, out.q, needed.q),
                    side(HeadRole::key, in.k, out.k, needed.k),
                    settings.span,
                    settings.magnitudes};
  check_both(verb, order.q, order.k);
  for (const Tensor* t : {&order.q.in, &order.k.in})
    check_beside(verb, "q and k", *t, rows.device_weights);
  const Tensor& some = order.any();
  const int64_t batch_rows = Batch(some, 3).rows;
  order.at = check_places(verb, rows, at, batch_rows, some.size(-3));
  for (const Tensor* t : {&out.q, &out.k}) check_apart(verb, *t, at);
  check_magnitudes(verb, settings, order.at, batch_rows);
  return order;
}

RotateOrder check_queries(const char* verb, const RotaryPlan& plan, const Tensor& q,
                          const Positions& at) {
  const RotaryPlan::Parts& parts = plan.parts();
  RotarySettings settings = parts.settings;
  if (parts.queries) settings.row_heads = 1;
  const AbsolutePlan& rows = parts.queries ? *parts.queries : parts.table;
  return check_rotate(verb, settings, rows.parts(), {.q = q}, {}, at, {.q = false});
}

RotateOrder check_keys(const char* verb, const RotaryPlan& plan, const Tensor& k,
                       const Positions& at) {
  return check_rotate(verb, plan.parts().settings, plan.table().parts(), {.k = k}, {}, at,
                      {.k = false});
}

}  // namespace posenc
