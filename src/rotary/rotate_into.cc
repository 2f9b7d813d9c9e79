// rotate_into.cc: checks what rotate_into() is given and writes it down as an order.
#include "posenc/rotate_into.h"

#include <algorithm>

#include "base/bits.h"
#include "base/check.h"
#include "rotary/cache.h"
#include "rotary/call.h"

namespace posenc {
namespace {

constexpr const char* into_verb = "rotate_into";

struct Named {
  const char* name;
  const Tensor& t;
};

void check_weights(const char* what, const Tensor& w, const char* whose, const Tensor& x) {
  if (w.rank == 0) return;
  if (x.rank == 0)
    fail(ErrorKind::tensor, into_verb, "expected ", whose, " where there is ", what, ", got none");
  if (w.rank != 1 || !is_float(w.dtype) || w.size(0) != x.size(-1))
    fail(ErrorKind::tensor, into_verb, "expected ", what, " as f32, f64, f16 or bf16 [", x.size(-1),
         "], got ", describe(w));
  check_memory(into_verb, what, w);
}

void check_norm(const HeadNorm& norm, const QueriesKeys& in) {
  if (!is_finite(norm.epsilon) || norm.epsilon < 0)
    fail(into_verb, "expected norm.epsilon of at least 0, got ", norm.epsilon);
  check_weights("norm.q", norm.q, "q", in.q);
  check_weights("norm.k", norm.k, "k", in.k);
  if (norm.q.rank > 0 && norm.k.rank > 0 && norm.q.dtype != norm.k.dtype)
    fail(ErrorKind::tensor, into_verb, "expected norm.q and norm.k of one type, got ",
         describe(norm.q), " and ", describe(norm.k));
}

// Like the tokens of q or k.
void check_values(const Tensor& v, const Tensor& x) {
  if (v.rank == 0) return;
  if (v.rank != x.rank || v.dtype != x.dtype ||
      !std::equal(v.shape.begin(), v.shape.begin() + v.rank - 2, x.shape.begin()))
    fail(ErrorKind::tensor, into_verb, "expected v like ", describe(x),
         ", but for its heads and their features, got ", describe(v));
  check_memory(into_verb, "v", v);
}

// What is written shares no memory with what is read, but for outputs that are their inputs.
void check_all_apart(const QueriesKeys& in, const QueriesKeys& out,
                     const RotateIntoOptions& options, const Positions& at) {
  const Cache& cache = options.cache;
  const Positions places = cache.at.value_or(range());
  const Named read[] = {{"norm.q", options.norm.q},
                        {"norm.k", options.norm.k},
                        {"v", options.v},
                        {"cache.slots", cache.slots},
                        {"cache.block_table", cache.block_table},
                        {"cache.sequences", cache.sequences},
                        {"cache.at", places.ids}};
  const Named caches[] = {{"cache.k", cache.k}, {"cache.v", cache.v}};
  for (const Named& from : read) {
    check_apart(into_verb, "q of the output", out.q, from.name, from.t);
    check_apart(into_verb, "k of the output", out.k, from.name, from.t);
    for (const Named& to : caches) check_apart(into_verb, to.name, to.t, from.name, from.t);
  }
  for (const Named& to : caches) {
    for (const Named& other : {Named{"q", in.q}, Named{"k", in.k}, Named{"q of the output", out.q},
                               Named{"k of the output", out.k}})
      check_apart(into_verb, to.name, to.t, other.name, other.t);
    check_apart(into_verb, to.t, at);
  }
  check_apart(into_verb, "cache.k", cache.k, "cache.v", cache.v);
}

RotateIntoOrder check_rotate_into(const RotateOrder& rotation, const QueriesKeys& in,
                                  const QueriesKeys& out, const RotateIntoOptions& options,
                                  const Positions& at) {
  RotateIntoOrder order{rotation};
  check_norm(options.norm, in);
  check_values(options.v, order.rotation.any());
  order.norm = options.norm, order.v = options.v;
  check_cache(into_verb, options.cache, order);
  check_all_apart(in, out, options, at);
  return order;
}

void execute(RotateIntoOrder& order, Stream stream) {
  order.stream = order.rotation.stream = stream;
  const bool rotates_only = order.norm.q.rank == 0 && order.norm.k.rank == 0 &&
                            order.k_cache.rank == 0 && order.v_cache.rank == 0;
  rotates_only ? run(order.rotation) : run(order);
}

// Keys have phases, queries do not: they rotate by rows of their own. All is checked together,
// before anything is written.
void rotate_into_split_qk(const RotaryPlan::Parts& plan, const QueriesKeys& in,
                          const QueriesKeys& out, const RotateIntoOptions& options,
                          const Positions& at, Stream stream) {
  RotarySettings shared = plan.settings;
  shared.row_heads = 1;
  const RotateOrder both = check_rotate(into_verb, shared, plan.queries->parts(), in, out, at,
                                        {.k = options.cache.k.rank == 0});
  RotateIntoOrder q = check_rotate_into(both, in, out, options, at);
  if (in.k.rank > 0) {
    RotateIntoOrder k{check_rotate(into_verb, plan.settings, plan.table.parts(), {{}, in.k},
                                   {{}, out.k}, at, {.k = options.cache.k.rank == 0}),
                      q.norm,
                      q.v,
                      q.k_cache,
                      q.v_cache,
                      q.places};
    k.norm.q = {};
    q.rotation.k = {}, q.norm.k = q.k_cache = q.v_cache = q.v = {};
    execute(k, stream);
  }
  execute(q, stream);
}

}  // namespace

void rotate_into(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                 const RotateIntoOptions& options, const Positions& at, Stream stream) {
  if (plan.parts().queries && in.q.rank > 0)
    return rotate_into_split_qk(plan.parts(), in, out, options, at, stream);
  const RotateOrder rotation = check_rotate(into_verb, plan.parts().settings, plan.table().parts(),
                                            in, out, at, {.k = options.cache.k.rank == 0});
  RotateIntoOrder order = check_rotate_into(rotation, in, out, options, at);
  execute(order, stream);
}

void rotate_into(const CosSin& table, Layout layout, const QueriesKeys& in, const QueriesKeys& out,
                 const RotateIntoOptions& options, const Positions& at, Stream stream) {
  const CheckedTable by = check_table(into_verb, table, layout, in);
  const RotateOrder rotation =
      check_rotate(into_verb, by.settings, by.rows, in, out, at, {.k = options.cache.k.rank == 0});
  RotateIntoOrder order = check_rotate_into(rotation, in, out, options, at);
  for (const Tensor* to : {&out.q, &out.k, &options.cache.k, &options.cache.v})
    check_apart(into_verb, *to, table);
  execute(order, stream);
}

}  // namespace posenc
