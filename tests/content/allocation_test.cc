// allocation_test.cc: verbs that take the plan of a content term allocate nothing, once a call of
// that shape has been there.
#include <gtest/gtest.h>

#include "tests/content/schemes.h"
#include "tests/support/allocations.h"
#include "tests/support/threads.h"

namespace posenc::allocation_test {
namespace {

template <class F>
void expect_none(const F& call, const std::string& name) {
  call();
  EXPECT_EQ(allocations_of(call), 0) << name;
}

void expect_none(const Stand& t, const ScoreOptions& options) {
  const DType compute = compute_type(t.out.view().dtype);
  const Sizes& n = t.sizes;
  const Guarded dq(compute, {n.rows, n.queries, n.heads, t.dim});
  const Guarded dk(compute, {n.rows, n.keys, n.heads, t.dim});
  const Guarded dgates(compute, {n.rows, n.keys, n.heads});
  const Guarded dscores(compute, {n.rows, n.heads, n.queries, n.keys});
  const Weights sums = zero_weights(weights(t.scheme), compute);
  const auto views = sums.views();
  const auto name = std::string(alternative_name(t.scheme)) + " " + describe(t.out.view());
  const ContentGradients to{dq.view(), dk.view(), dgates.view(), dscores.view()};
  expect_none([&] { add(t.plan, t.inputs(), t.scores.view(), t.out.view(), options); }, name);
  expect_none(
      [&] { backward(t.plan, t.inputs(), t.scores.view(), t.out.view(), to, views, options); },
      "backward: " + name);
  if (!std::holds_alternative<Shaw>(t.scheme)) return;
  expect_none([&] { add_to_outputs(t.plan, t.scores.view(), t.q.view(), options); }, name);
  expect_none(
      [&] {
        outputs_backward(t.plan, t.scores.view(), t.q.view(), dscores.view(), views, options);
      },
      name);
}

TEST(ContentAllocation, NoneInVerbsWithAPlan) {
  const Threads one(1);
  Random random(1);
  for (const Content& scheme : small_schemes())
    for (const DType dtype : {DType::f32, DType::bf16})
      for (const int64_t queries : {1, 40}) {  // one more token, and a text
        const Stand t(scheme, dtype, {2, 3, queries, 40}, random);
        const TestPlaces keys = rising_keys(2, 40);
        expect_none(t, {.queries = range(40 - queries), .causal = true});
        expect_none(t, {.keys = keys.at(), .scale = 0.5, .scale_on = ScaleOn::sum});
      }
}

// A call gives the same bits whatever calls came before it.
TEST(ContentPlans, KeepWhatChangesNothing) {
  Random random(2);
  for (const Content& scheme : small_schemes()) {
    const Stand t(scheme, DType::f32, {1, 3, 9, 200}, random);
    const auto views = t.weights.views();
    for (const int64_t past : {191, 3, 100}) {
      const auto added = [&](const ContentPlan& plan) {
        add(plan, t.inputs(), t.scores.view(), t.out.view(), {.queries = range(past)});
        return numbers(t.out.view());
      };
      EXPECT_EQ(added(t.plan), added(prepare(scheme, {.weights = views})));
    }
  }
}

}  // namespace
}  // namespace posenc::allocation_test
