// call.cc: checks of the content verbs.
#include "content/call.h"

namespace posenc {
namespace {

// A scheme without weights of heads takes any number of them.
int64_t first_head_of(const char* verb, const ContentPlan& plan, const Tensor& scores,
                      const ScoreOptions& options) {
  if (plan.heads() > 0) return check_first_head(verb, plan.heads(), scores, options);
  const int64_t first = options.first_head.value_or(0);
  if (first < 0) fail(verb, "expected first_head from 0 on, got ", first);
  return first;
}

// Gates are summed from key to key.
void check_order(const char* verb, const ScorePlaces& at) {
  if (at.keys.at.is_range() || !at.keys.on_host()) return;
  for (int64_t row = 0; row < (at.keys.shared() ? 1 : at.rows); ++row)
    for (int64_t t = 1; t < at.keys.tokens; ++t)
      if (at.keys.value(row, t) < at.keys.value(row, t - 1))
        fail(verb, "expected keys in the order of their positions for this scheme, got ",
             at.keys.value(row, t), " after ", at.keys.value(row, t - 1));
}

// The matrix of Transformer-XL's first code is shifted by as many places as it has queries: the
// last of them must stand at the last key.
void check_ends(std::string_view name, const ScorePlaces& at) {
  if (!at.on_host())
    fail(name, "expected ranges of positions for the legacy form, got ids on a device");
  const auto queries = static_cast<double>(at.queries.tokens);
  const auto keys = static_cast<double>(at.keys.tokens);
  const Reach reach = at.distances();
  if (queries > keys || reach.least != 1 - keys || reach.most != queries - 1)
    fail(name, "expected queries that end with the keys for the legacy form, got ", queries,
         " queries, ", keys, " keys and distances from ", reach.least, " to ", reach.most);
}

}  // namespace

void check_heads(const char* verb, const char* what, const Tensor& t, const Tensor& scores,
                 int64_t tokens, int64_t dim, DType dtype) {
  Tensor like = scores;
  const auto batch = static_cast<size_t>(scores.rank - 3);
  like.dtype = dtype, like.rank -= dim > 0 ? 0 : 1;
  like.shape[batch] = tokens, like.shape[batch + 1] = scores.size(-3);
  if (dim > 0) like.shape[batch + 2] = dim;
  if (t.dtype != like.dtype || !same_shape(t, like))
    fail(ErrorKind::tensor, verb, "expected ", what, " as ", describe(like),
         " with as many heads as the scores (grouped keys must be repeated), got ", describe(t));
  check_memory(verb, what, t);
}

ContentCall check_content(const char* verb, const ContentPlan& plan, const Tensor& scores,
                          const ScoreOptions& options) {
  const int64_t first_head = first_head_of(verb, plan, scores, options);
  const ScorePlaces at = check_options(verb, scores, options, plan.reads().distance);
  if (plan.reads().gates) check_order(verb, at);
  if (plan.parts().formula.queries_end_with_keys && scores.elements() > 0)
    check_ends(plan.parts().name, at);
  const bool on_sum = options.scale_on == ScaleOn::sum;
  return {{.plan = plan,
           .heads = scores.size(-3),
           .first_head = first_head,
           .before = on_sum ? 1 : options.scale,
           .after = on_sum ? options.scale : 1},
          at};
}

ContentCall check_content(const char* verb, const ContentPlan& plan, const ContentInputs& in,
                          const Tensor& scores, const ScoreOptions& options) {
  check_scores(verb, scores);
  ContentCall call = check_content(verb, plan, scores, options);
  const ContentReads& r = plan.reads();
  const int64_t queries = scores.size(-2), keys = scores.size(-1);
  if (r.q) check_heads(verb, "q", call.term.q = in.q, scores, queries, r.dim, scores.dtype);
  if (r.k) check_heads(verb, "k", call.term.k = in.k, scores, keys, r.dim, scores.dtype);
  if (r.gates)
    check_heads(verb, "gates", call.term.gates = in.gates, scores, keys, 0, scores.dtype);
  return call;
}

void check_inputs_apart(const char* verb, const char* what, const Tensor& out,
                        const ContentCall& call) {
  check_output(verb, out);
  check_apart(verb, what, out, "q", call.term.q);
  check_apart(verb, what, out, "k", call.term.k);
  check_apart(verb, what, out, "gates", call.term.gates);
  check_apart(verb, what, out, "the positions", call.at.queries.at.ids);
  check_apart(verb, what, out, "the positions", call.at.keys.at.ids);
}

}  // namespace posenc
