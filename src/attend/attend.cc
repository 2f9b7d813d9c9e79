// attend.cc: checks what attend() is given, then hands blocks of queries to workers.
#include "posenc/attend.h"

#include <cmath>

#include "attend/blocks.h"
#include "base/check.h"
#include "base/parallel.h"
#include "base/subnormals.h"

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
    fail(verb, "expected q as f32, f64, f16 or bf16 [..., queries, heads, dim], got ", describe(q));
  check_memory(verb, "q", q);
  if (!same_batch(q, k) || q.size(-1) != k.size(-1))
    fail(verb, "expected k like q, ", describe(q), ", but for its tokens and heads, got ",
         describe(k));
  check_memory(verb, "k", k);
  if (k.size(-2) < 1 || q.size(-2) % k.size(-2) != 0)
    fail(verb, "expected k with a number of heads that divides ", q.size(-2), ", got ", k.size(-2));
  if (!same_batch(k, v) || k.size(-3) != v.size(-3) || k.size(-2) != v.size(-2))
    fail(verb, "expected v like k, ", describe(k), ", but for its last axis, got ", describe(v));
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

// Scores [..., heads, queries, keys] that nobody ever sees, for checks that speak of them.
Tensor scores_of(const QueriesKeysValues& in) {
  static char nothing;
  Tensor t = in.q;
  t.data = &nothing;
  const auto last = static_cast<size_t>(t.rank - 1);
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

// Positions for the mask and for a bias.
BiasCall check_places(const Plan& encoding, const Tensor& scores, const AttendOptions& options,
                      double scale) {
  if (const auto* plan = std::get_if<BiasPlan>(&encoding))
    return check_call(verb, *plan, scores, score_options(options, scale));
  static const BiasFormula none;
  Line queries{options.queries, scores.size(-2)}, keys{options.keys, scores.size(-1)};
  const auto several = [](const Line& l) { return l.at.ids.rank == 3 && l.at.ids.size(0) > 1; };
  if (std::holds_alternative<RotaryPlan>(encoding) && (several(queries) || several(keys)))
    queries.at = range(keys.tokens - queries.tokens), keys.at = range();
  const int64_t rows = Batch(scores, 3).rows;
  check_line(verb, "queries", queries, rows);
  check_line(verb, "keys", keys, rows);
  return {none, queries, keys, rows, scores.size(-3), 0, 1};
}

std::optional<ContentCall> check_content(const Plan& encoding, const Tensor& q,
                                         const Tensor& scores, const AttendOptions& options,
                                         double scale) {
  const auto* plan = std::get_if<ContentPlan>(&encoding);
  if (!plan) return {};
  const ContentCall call = check_call(verb, *plan, scores, score_options(options, scale));
  if (call.reads.dim > 0) check_dim(q.size(-1), call.reads.dim);
  if (call.reads.gates)
    check_heads(verb, "gates", options.gates, scores, scores.size(-1), 0, q.dtype);
  return call;
}

void check_values(const QueriesKeysValues& in, const Tensor& scores, const AttendOptions& options) {
  if (!options.values) return;
  const auto* shaw = std::get_if<Shaw>(&options.values->parts().scheme);
  if (!shaw || shaw->dim != in.v.size(-1))
    fail(verb, "expected values as the plan of a shaw with the ", in.v.size(-1),
         " features of v, got ", alternative_name(options.values->parts().scheme),
         shaw ? " with " + std::to_string(shaw->dim) : "");
  check_call(verb, *options.values, scores, score_options(options, 1));
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

// Workers take blocks in turn, which shares the work of a causal mask fairly.
template <class C>
void attend_all(const AttendCall& call) {
  const Attention<C> attention(call);
  constexpr int64_t size = AttendScratch<C>::most_queries;
  const int64_t blocks = cpu::pieces(call.queries(), size), heads = call.heads();
  const int64_t tasks = call.rows() * heads * blocks;
  // A product of two numbers takes about as long as moving a byte.
  const int64_t bytes = call.rows() * heads * call.queries() * call.keys() * call.dim();
  const int64_t workers = std::min(tasks, threads_for(bytes));
  std::vector<AttendScratch<C>> scratch(static_cast<size_t>(workers), AttendScratch<C>(call));
  parallel_for(workers, bytes, [&](int64_t worker) {
    [[maybe_unused]] const FlushSubnormals flush;  // weights of far keys
    for (int64_t n = worker; n < tasks; n += workers) {
      const int64_t first = n % blocks * size, count = std::min(size, call.queries() - first);
      attention.run({n / blocks / heads, n / blocks % heads, first, count},
                    scratch[static_cast<size_t>(worker)]);
    }
  });
}

}  // namespace

void attend(const Plan& encoding, const QueriesKeysValues& in, const Tensor& out,
            const AttendOptions& options) {
  if (std::holds_alternative<AbsolutePlan>(encoding))
    fail(verb,
         "expected a plan that acts on queries, keys or scores, got one that is added to the ",
         "input before they exist");
  check_inputs(in);
  check_out(in, out);
  const double scale = scale_of(encoding, in.q, options);
  const Tensor scores = scores_of(in);
  check_values(in, scores, options);
  const AttendCall call{encoding,
                        in,
                        out,
                        options,
                        check_places(encoding, scores, options, scale),
                        check_content(encoding, in.q, scores, options, scale),
                        options.causal,
                        scale};
  for (const Positions* at : {&options.queries, &options.keys})
    if (!at->is_range()) check_memory(verb, "positions", at->ids);
  check_apart(verb, out, score_options(options, scale));
  check_apart(verb, "out", out, "gates", options.gates);
  if (out.elements() == 0) return;
  if (call.keys() == 0) return zero(out);
  if (out.dtype == DType::f64) return attend_all<double>(call);
  attend_all<float>(call);
}

}  // namespace posenc
