// allocation_test.cc: verbs that take the plan of a bias allocate nothing, once a call of that
// shape has been there.
#include <gtest/gtest.h>

#include "tests/relative/cases.h"
#include "tests/support/allocations.h"
#include "tests/support/threads.h"

namespace posenc::allocation_test {
namespace {

template <class F>
void expect_none(const F& call, const std::string& name) {
  call();
  EXPECT_EQ(allocations_of(call), 0) << name;
}

void expect_none(const PreparedBias& p, const Tensor& scores, const ScoreOptions& options) {
  const Weights sums = zero_weights(weights(p.scheme), compute_type(scores.dtype));
  const auto views = sums.views();
  const std::string name = p.text() + "; " + describe(scores);
  expect_none([&] { add(p.plan, scores, options); }, "add: " + name);
  expect_none([&] { fill(p.plan, scores, options); }, "fill: " + name);
  expect_none([&] { backward(p.plan, scores, views, options); }, "backward: " + name);
}

TEST(BiasAllocation, IsCounted) {  // or the others could not fail
  EXPECT_GT(allocations_of([] { prepare(Alibi{.heads = 2}); }), 0);
}

TEST(BiasAllocation, NoneInVerbsWithAPlan) {
  const Threads one(1);
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    const TestPlaces ids(DType::i32, {2, 15}, random, 0, 14);
    for (const DType dtype : {DType::f32, DType::bf16})
      for (const int64_t queries : {1, 15}) {  // one more token, and a text
        const Guarded scores(dtype, {2, case_heads, queries, 15});
        expect_none(p, scores.view(), {.queries = range(15 - queries), .causal = true});
        expect_none(p, scores.view(), {.keys = ids.at(), .scale = 0.5, .scale_on = ScaleOn::sum});
        if (p.plan.reads() == Reads::both) continue;
        const Guarded profile(dtype, {case_heads, 9}, Placement::spaced);
        expect_none([&] { fill_profile(p.plan, profile.view(), 2); }, p.text());
      }
  }
}

// A text that grows by a token at a time: the profile grows now and then.
TEST(BiasAllocation, SeldomWhereATextGrows) {
  const BiasPlan plan = prepare(Alibi{.heads = 4});
  const Guarded scores(DType::f32, {4, 1, 1024});
  int64_t all = 0;
  for (int64_t n = 1; n <= 1024; ++n) {
    Tensor view = scores.view();
    view.shape[2] = n;
    all += allocations_of([&] { add(plan, view, {.queries = range(n - 1)}); });
  }
  EXPECT_LT(all, 64);
}

TEST(BiasAllocation, NoneFromTheFirstCallOnWhereRowsAreKept) {
  const Threads one(1);
  for (const Bias& scheme : {Bias(Alibi{.heads = 4}), Bias(Alibi{4, 8, AlibiForm::keys})}) {
    const BiasPlan plan = prepare(scheme, {.keep = 100});
    const Guarded scores(DType::f32, {4, 3, 100});
    EXPECT_EQ(allocations_of([&] { add(plan, scores.view(), {.queries = range(97)}); }), 0);
  }
}

TEST(BiasAllocation, NoneForAProfileOfSomeoneElse) {
  const Threads one(1);
  const Guarded scores(DType::f32, {2, 4, 3, 9}), profile(DType::f32, {4, 11}, Placement::spaced);
  for (const double scale : {1.0, 0.5})
    expect_none(
        [&] {
          add_profile(profile.view(), -2, scores.view(), scores.view(),
                      {.scale = scale, .scale_on = ScaleOn::sum});
        },
        "add_profile");
}

}  // namespace
}  // namespace posenc::allocation_test
