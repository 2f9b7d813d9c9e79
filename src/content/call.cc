// call.cc: checks of the content verbs.
#include "content/call.h"

#include <algorithm>

#include "base/check.h"
#include "base/choices.h"

namespace posenc {
namespace {

void check_first_head(const char* verb, const ContentPlan& plan, int64_t first, int64_t heads) {
  if (plan.heads() == 0 ? first < 0 : first < 0 || first > plan.heads() - heads)
    fail(verb, "expected heads ", first, " to ", first + heads - 1, " among the ", plan.heads(),
         " of the scheme");
}

struct Reach {
  double least = 0x1p60, most = -0x1p60;
};
Reach reach(const Line& line, int64_t rows) {
  Reach out;
  for (int64_t row = 0; row < (line.shared() ? 1 : rows); ++row)
    for (int64_t t = 0; t < line.tokens; ++t) {
      out.least = std::min(out.least, line.value(row, t));
      out.most = std::max(out.most, line.value(row, t));
    }
  return out;
}

// [..., tokens, heads], then dim where it is not 0.
Tensor wanted(const Tensor& scores, int64_t tokens, int64_t dim, DType dtype) {
  std::vector<int64_t> shape(scores.shape.begin(), scores.shape.begin() + scores.rank - 3);
  shape.insert(shape.end(), {tokens, scores.size(-3)});
  if (dim > 0) shape.push_back(dim);
  return tensor(nullptr, dtype, shape);
}

void check_fits(const char* verb, const char* what, const Tensor& t, const Tensor& like) {
  if (t.dtype != like.dtype || !same_shape(t, like))
    fail(verb, "expected ", what, " as ", describe(like),
         " with as many heads as the scores (grouped keys must be repeated), got ", describe(t));
  check_memory(verb, what, t);
}

}  // namespace

void check_heads(const char* verb, const char* what, const Tensor& t, const Tensor& scores,
                 int64_t tokens, int64_t dim, DType dtype) {
  check_fits(verb, what, t, wanted(scores, tokens, dim, dtype));
}

ContentCall check_call(const char* verb, const ContentPlan& plan, const Tensor& scores,
                       const ScoreOptions& options) {
  if (scores.rank < 3 || scores.rank > max_rank || !is_float(scores.dtype))
    fail(verb, "expected scores as f32, f64, f16 or bf16 [..., heads, queries, keys], got ",
         describe(scores));
  check_memory(verb, "scores", scores);
  check_first_head(verb, plan, options.first_head, scores.size(-3));
  check_finite(verb, "scale", options.scale);
  check_choices(verb, options.scale_on, "scale_on");
  const bool on_sum = options.scale_on == ScaleOn::sum;
  ContentCall call{plan.reads(),
                   {options.queries, scores.size(-2)},
                   {options.keys, scores.size(-1)},
                   Batch(scores, 3).rows,
                   {scores.size(-3), options.first_head, scores.size(-2), scores.size(-1), 0, 0},
                   options.causal,
                   on_sum ? 1 : options.scale,
                   on_sum ? options.scale : 1};
  check_line(verb, "queries", call.queries, call.rows);
  check_line(verb, "keys", call.keys, call.rows);
  if (call.reads.distance && !(call.queries.whole() && call.keys.whole()))
    fail(verb, "expected whole positions (i32 or i64) for this scheme, got f64");
  const Reach queries = reach(call.queries, call.rows), keys = reach(call.keys, call.rows);
  call.term.least = keys.least - queries.most;
  call.term.most = keys.most - queries.least;
  return call;
}

void check_inputs(const char* verb, const ContentCall& call, const ContentInputs& in,
                  const Tensor& scores) {
  const ContentReads& r = call.reads;
  if (r.q) check_heads(verb, "q", in.q, scores, call.queries.tokens, r.dim, scores.dtype);
  if (r.k) check_heads(verb, "k", in.k, scores, call.keys.tokens, r.dim, scores.dtype);
  if (r.gates) check_heads(verb, "gates", in.gates, scores, call.keys.tokens, 0, scores.dtype);
}

void check_inputs_apart(const char* verb, const char* what, const Tensor& out,
                        const ContentCall& call, const ContentInputs& in) {
  check_output(verb, out);
  if (call.reads.q) check_apart(verb, what, out, "q", in.q);
  if (call.reads.k) check_apart(verb, what, out, "k", in.k);
  if (call.reads.gates) check_apart(verb, what, out, "gates", in.gates);
  for (const Line* line : {&call.queries, &call.keys})
    check_apart(verb, what, out, "the positions", line->at.ids);
}

}  // namespace posenc
