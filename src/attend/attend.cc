// attend.cc: checks what attend() is given and writes it down as an order.
#include "posenc/attend.h"

#include <cmath>

#include "base/dispatch.h"
#include "content/call.h"
#include "rotary/call.h"

namespace posenc {
namespace {

constexpr const char* verb = "attend";

bool same_batch(const Tensor& a, const Tensor& b) {
  return a.dtype == b.dtype && a.rank == b.rank &&
         std::equal(a.shape.begin(), a.shape.begin() + a.rank - 3, b.shape.begin());
}

void check_inputs(const QueriesKeysValues& in) {
  const auto& [q, k, v] = in;
  if (q.rank < 3 || q.rank > max_rank || !is_float(q.dtype) || q.size(-1) < 1)
    fail(ErrorKind::tensor, verb,
         "expected q as f32, f64, f16 or bf16 [..., queries, heads, dim], got ", describe(q));
  check_memory(verb, "q", q);
  if (!same_batch(q, k) || q.size(-1) != k.size(-1))
    fail(ErrorKind::tensor, verb, "expected k like q, ", describe(q),
         ", but for its tokens and heads, got ", describe(k));
  check_memory(verb, "k", k);
  if (k.size(-2) < 1 || q.size(-2) % k.size(-2) != 0)
    fail(verb, "expected k with a number of heads that divides ", q.size(-2), ", got ", k.size(-2));
  if (!same_batch(k, v) || k.size(-3) != v.size(-3) || k.size(-2) != v.size(-2))
    fail(ErrorKind::tensor, verb, "expected v like k, ", describe(k),
         ", but for its last axis, got ", describe(v));
  check_memory(verb, "v", v);
}

void check_out(const QueriesKeysValues& in, const Tensor& out) {
  Tensor like = in.q;
  like.shape[static_cast<size_t>(like.rank - 1)] = in.v.size(-1);
  check_same(verb, "out", out, like);
  check_output(verb, out);
  check_overlap(verb, in.q, out);
  check_apart(verb, "out", out, "k", in.k);
  check_apart(verb, "out", out, "v", in.v);
}

// The shape of scores [..., heads, queries, keys], for checks that speak of them.
Tensor scores_of(const QueriesKeysValues& in) {
  Tensor t = in.q;
  const auto last = static_cast<size_t>(t.rank - 1);
  t.data = nullptr;
  t.shape[last - 2] = in.q.size(-2), t.shape[last - 1] = in.q.size(-3);
  t.shape[last] = in.k.size(-3);
  return t;
}

ScoreOptions score_options(const AttendOptions& options, double scale) {
  return {.queries = options.queries,
          .keys = options.keys,
          .first_head = options.first_head,
          .causal = options.causal,
          .scale = scale,
          .scale_on = options.scale_on};
}

void check_dim(int64_t dim, int64_t expected) {
  if (dim != expected)
    fail(verb, "expected q with ", expected, " features, as the scheme has, got ", dim);
}

// Positions for the mask.
ScorePlaces check_mask(const Plan& encoding, const Tensor& scores, const AttendOptions& options) {
  ScorePlaces at{{options.queries, scores.size(-2)},
                 {options.keys, scores.size(-1)},
                 Batch(scores, 3).rows,
                 options.causal};
  const auto several = [](const Places& p) { return p.at.ids.rank == 3 && p.axes() > 1; };
  if (std::holds_alternative<RotaryPlan>(encoding) && (several(at.queries) || several(at.keys)))
    at.queries.at = range(at.keys.tokens - at.queries.tokens), at.keys.at = range();
  check_places(verb, "queries", at.queries, at.rows);
  check_places(verb, "keys", at.keys, at.rows);
  return at;
}

TermSource check_term(const ContentPlan& plan, const Tensor& q, const Tensor& scores,
                      const AttendOptions& options, const ScoreOptions& checked) {
  TermSource term = check_content(verb, plan, scores, checked).term;
  const ContentReads reads = plan.reads();
  if (reads.hidden)
    fail(verb, "expected a plan that reads queries and keys, got one of ", plan.parts().name,
         ", which reads hidden states: add() takes them");
  if (reads.dim > 0) check_dim(q.size(-1), reads.dim);
  if (reads.gates)
    check_heads(verb, "gates", term.gates = options.gates, scores, scores.size(-1), 0, q.dtype);
  return term;
}

std::optional<TermSource> check_values(const QueriesKeysValues& in, const Tensor& scores,
                                       const AttendOptions& options) {
  if (!options.values) return {};
  const ContentPlan& plan = *options.values;
  const bool in_values = plan.parts().formula.in_values;
  const int64_t dim = plan.reads().dim;
  if (!in_values || dim != in.v.size(-1))
    fail(verb, "expected values as the plan of a shaw with the ", in.v.size(-1),
         " features of v, got ", plan.parts().name,
         in_values ? " with " + std::to_string(dim) : "");
  return check_content(verb, plan, scores, score_options(options, 1)).term;
}

double scale_of(const Plan& encoding, const Tensor& q, const AttendOptions& options) {
  const double scale = options.scale.value_or(1 / std::sqrt(static_cast<double>(q.size(-1))));
  check_finite(verb, "scale", scale);
  const auto* plan = std::get_if<RotaryPlan>(&encoding);
  if (plan) check_dim(q.size(-1), plan->scheme().dim);
  return plan && options.softmax_factor ? scale * plan->softmax_factor() : scale;
}

void zero(const Tensor& t) {
  const Batch rows(t, 1);
  dispatch(t.dtype, [&]<class T>() {
    for (int64_t row = 0; row < rows.rows; ++row)
      for (int64_t f = 0; f < rows.tokens(); ++f) *static_cast<T*>(rows.at(row, f)) = {};
  });
}

}  // namespace

void attend(const Plan& encoding, const QueriesKeysValues& in, const Tensor& out,
            const AttendOptions& options) {
  for (const Tensor* t : {&in.q, &in.k, &in.v, &out})
    if (t->device == Device::cuda)
      fail(ErrorKind::tensor, verb,
           "expected q, k, v and out on the CPU, got a CUDA tensor; there, ",
           "give an attention kernel what rotate() makes of q and k, the scale times ",
           "softmax_factor(), or the bias that fill() or fill_profile() makes");
  if (std::holds_alternative<AbsolutePlan>(encoding))
    fail(verb,
         "expected a plan that acts on queries, keys or scores, got one that is added to the ",
         "input before they exist");
  check_inputs(in);
  check_out(in, out);
  const double scale = scale_of(encoding, in.q, options);
  const Tensor scores = scores_of(in);
  const ScoreOptions checked = score_options(options, scale);
  const auto values = check_values(in, scores, options);
  const auto* bias = std::get_if<BiasPlan>(&encoding);
  const auto* content = std::get_if<ContentPlan>(&encoding);
  const ScorePlaces at =
      bias ? check_call(verb, bias->parts().formula, bias->heads(), scores, checked)
           : check_mask(encoding, scores, options);
  std::optional<TermSource> term;
  if (content) term.emplace(check_term(*content, in.q, scores, options, checked));
  for (const Positions* p : {&options.queries, &options.keys})
    if (!p->is_range()) check_memory(verb, "positions", p->ids);
  check_apart(verb, out, checked);
  check_apart(verb, "out", out, "gates", options.gates);
  if (out.elements() == 0) return;
  if (at.keys.tokens == 0) return zero(out);
  std::optional<RotateOrder> rotate_q, rotate_k;
  if (const auto* rotary = std::get_if<RotaryPlan>(&encoding)) {
    rotate_q.emplace(check_queries(verb, *rotary, in.q, options.queries));
    rotate_k.emplace(check_keys(verb, *rotary, in.k, options.keys));
  }
  CallBiases biases;
  if (bias) biases = biases_of(bias->parts(), at, checked, out.device, compute_type(out.dtype));
  run(AttendOrder{.q = in.q,
                  .k = in.k,
                  .v = in.v,
                  .out = out,
                  .at = at,
                  .scale = scale,
                  .rotate_q = rotate_q ? &*rotate_q : nullptr,
                  .rotate_k = rotate_k ? &*rotate_k : nullptr,
                  .bias = bias ? &biases.source : nullptr,
                  .term = term ? &*term : nullptr,
                  .values = values ? &*values : nullptr});
}

}  // namespace posenc
