// posenc_c.cc: the functions of posenc_c.h; each is one verb.
#include "posenc/posenc_c.h"

#include "c_json.h"
#include "c_values.h"

using namespace posenc;
using namespace posenc::c;

namespace {

const AbsolutePlan& rows(const char* verb, const posenc_plan* plan) {
  if (!plan) fail(verb, "expected a plan, got NULL");
  return rows_of(plan->plan);
}
const RotaryPlan& rotary(const char* verb, const posenc_plan* plan) {
  return plan_of<RotaryPlan>(verb, "a rotary", plan);
}
const BiasPlan& bias_plan(const char* verb, const posenc_plan* plan) {
  return plan_of<BiasPlan>(verb, "a bias", plan);
}

QueriesKeys both(const posenc_tensor* q, const posenc_tensor* k) {
  return {tensor_of(q), tensor_of(k)};
}
QueriesKeys both_or(const posenc_tensor* q, const posenc_tensor* k, const QueriesKeys& in) {
  return {q ? tensor_of(q) : in.q, k ? tensor_of(k) : in.k};
}

Scheme scheme_of(const char* name, const char* options) {
  if (!name) fail(ErrorKind::option, "options", "expected the name of a scheme, got NULL");
  return scheme_from_json(name, options ? options : "{}");
}

AttendOptions attend_options(const posenc_score_options* given) {
  const ScoreOptions o = score_options_of(given);
  AttendOptions out{.queries = o.queries,
                    .keys = o.keys,
                    .causal = o.causal,
                    .scale_on = o.scale_on,
                    .first_head = o.first_head};
  if (given && given->scale != 0) out.scale = given->scale;
  return out;
}

}  // namespace

const char* posenc_version() { return POSENC_VERSION; }
const char* posenc_last_error() { return last_error.text; }
int posenc_last_error_kind() { return last_error.status; }

int posenc_threads() { return threads(); }
int posenc_set_threads(int count) {
  return guarded([&] { set_threads(count); });
}

const char* posenc_schemes() { return text_of_thread(schemes_json); }
const char* posenc_describe(const char* scheme, const char* options) {
  return text_of_thread([&] { return scheme_json(scheme_of(scheme, options)); });
}

int posenc_prepare(const char* scheme, const char* options, const posenc_tensor* weights,
                   int32_t weight_count, int64_t length, int64_t keep, posenc_plan** plan) {
  return guarded([&] {
    if (!plan) fail("prepare", "expected where to put the plan, got NULL");
    const Scheme made = scheme_of(scheme, options);
    const auto given = tensors_of(weights, weight_count);
    Plan ready = prepare(made, {.weights = given, .length = length, .keep = keep});
    std::string about = plan_json(made, ready);
    *plan = new posenc_plan{std::move(ready), info(made).name, std::move(about)};
  });
}
void posenc_free(posenc_plan* plan) { delete plan; }
const char* posenc_plan_info(const posenc_plan* plan) { return plan ? plan->info.c_str() : "{}"; }

int posenc_fill(const posenc_plan* plan, const posenc_tensor* table, const posenc_positions* at,
                void* stream) {
  return guarded([&] { fill(rows("fill", plan), tensor_of(table), positions_of(at), stream); });
}
int posenc_add(const posenc_plan* plan, const posenc_tensor* x, const posenc_tensor* out,
               const posenc_positions* at, void* stream) {
  return guarded([&] {
    add(plan_of<AbsolutePlan>("add", "an absolute", plan), tensor_of(x), tensor_of(out),
        positions_of(at), stream);
  });
}
int posenc_embed(const posenc_plan* plan, const posenc_tensor* ids, const posenc_tensor* embedding,
                 double scale, const posenc_tensor* out, const posenc_positions* at, void* stream) {
  return guarded([&] {
    embed(plan_of<AbsolutePlan>("embed", "an absolute", plan), tensor_of(ids), tensor_of(embedding),
          tensor_of(out), {.scale = scale, .at = positions_of(at)}, stream);
  });
}
int posenc_backward(const posenc_plan* plan, const posenc_tensor* dout,
                    const posenc_tensor* dweights, int32_t weight_count, const posenc_positions* at,
                    void* stream) {
  return guarded([&] {
    backward(plan_of<AbsolutePlan>("backward", "an absolute", plan), tensor_of(dout),
             tensors_of(dweights, weight_count), positions_of(at), stream);
  });
}

int posenc_rotate(const posenc_plan* plan, const posenc_tensor* q, const posenc_tensor* k,
                  const posenc_tensor* q_out, const posenc_tensor* k_out,
                  const posenc_positions* at, void* stream) {
  return guarded([&] {
    const QueriesKeys in = both(q, k);
    rotate(rotary("rotate", plan), in, both_or(q_out, k_out, in), positions_of(at), stream);
  });
}
int posenc_rotate_adjoint(const posenc_plan* plan, const posenc_tensor* dq, const posenc_tensor* dk,
                          const posenc_tensor* dq_out, const posenc_tensor* dk_out,
                          const posenc_positions* at, void* stream) {
  return guarded([&] {
    const QueriesKeys in = both(dq, dk);
    rotate_adjoint(rotary("rotate_adjoint", plan), in, both_or(dq_out, dk_out, in),
                   positions_of(at), stream);
  });
}

posenc_score_options posenc_score_defaults() { return {{}, {}, -1, 1, 0, 0}; }

int posenc_fill_bias(const posenc_plan* plan, const posenc_tensor* out,
                     const posenc_score_options* options, void* stream) {
  return guarded(
      [&] { fill(bias_plan("fill", plan), tensor_of(out), score_options_of(options), stream); });
}
int posenc_add_bias(const posenc_plan* plan, const posenc_tensor* scores, const posenc_tensor* out,
                    const posenc_score_options* options, void* stream) {
  return guarded([&] {
    add(bias_plan("add", plan), tensor_of(scores), tensor_of(out), score_options_of(options),
        stream);
  });
}
int posenc_backward_bias(const posenc_plan* plan, const posenc_tensor* dout,
                         const posenc_tensor* dweights, int32_t weight_count,
                         const posenc_score_options* options, void* stream) {
  return guarded([&] {
    backward(bias_plan("backward", plan), tensor_of(dout), tensors_of(dweights, weight_count),
             score_options_of(options), stream);
  });
}
int posenc_add_content(const posenc_plan* plan, const posenc_tensor* q, const posenc_tensor* k,
                       const posenc_tensor* gates, const posenc_tensor* scores,
                       const posenc_tensor* out, const posenc_score_options* options,
                       void* stream) {
  return guarded([&] {
    add(plan_of<ContentPlan>("add", "a content", plan),
        {tensor_of(q), tensor_of(k), tensor_of(gates)}, tensor_of(scores), tensor_of(out),
        score_options_of(options), stream);
  });
}

int posenc_attend(const posenc_plan* plan, const posenc_tensor* q, const posenc_tensor* k,
                  const posenc_tensor* v, const posenc_tensor* gates, const posenc_tensor* out,
                  const posenc_score_options* options) {
  return guarded([&] {
    AttendOptions how = attend_options(options);
    how.gates = tensor_of(gates);
    attend(plan ? plan->plan : Plan{}, {tensor_of(q), tensor_of(k), tensor_of(v)}, tensor_of(out),
           how);
  });
}
