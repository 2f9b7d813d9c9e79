// Gradients of content terms against the forward pass alone.
#include <gtest/gtest.h>

#include "tests/content/gradients.h"
#include "tests/support/threads.h"

namespace posenc::gradient_test {
namespace {

const ScoreOptions options[] = {
    {.scale = 0.5}, {.queries = range(5), .causal = true, .scale = 0.25, .scale_on = ScaleOn::sum}};

// The same with ids for both, and for keys alone.
std::vector<ScoreOptions> options_with_ids(const TestPlaces& queries, const TestPlaces& keys) {
  return {options[0],
          options[1],
          {.queries = queries.at(), .keys = keys.at(), .causal = true, .scale = 0.5},
          {.queries = range(5), .keys = keys.at(), .scale = 0.5}};
}

// Each score is a polynomial of degree two in q, k, gates, scores and weights together, so the
// central difference over a step of 1 is the derivative itself: <gradient, direction>. CoPE, which
// reads its table where gates say, gated biases, gates of products and kernels have tests of their
// own.
TEST(ContentGradient, IsTheDerivative) {
  Random random(91);
  const TestPlaces queries(DType::i32, {2, 66}, random, 0, 60), keys = rising_keys(2, 70);
  auto schemes = small_schemes();
  schemes.push_back(TransformerXl{.dim = 5, .heads = 3, .sinusoids = {.dim = 6}, .legacy = true});
  for (const Content& scheme : schemes)
    for (const ScoreOptions& o : options_with_ids(queries, keys)) {
      const auto* xl = std::get_if<TransformerXl>(&scheme);
      const bool legacy = xl && xl->legacy;
      if (std::holds_alternative<Cope>(scheme) || std::holds_alternative<GatedT5>(scheme) ||
          std::holds_alternative<ForgettingRows>(scheme) ||
          std::holds_alternative<KerpleWeight>(scheme) || (legacy && !o.keys.is_range()))
        continue;
      SCOPED_TRACE(std::string(alternative_name(scheme)));
      const Stand t(scheme, DType::f64, {2, 3, 66, legacy ? 66 + o.queries.first : 70}, random);
      const Guarded dout(DType::f64, {t.sizes.rows, 3, t.sizes.queries, t.sizes.keys},
                         Placement::padded);
      randomize(dout.view(), random);
      const AllGradients g(t, DType::f64, Placement::spaced);
      run_backward(t, dout.view(), g, o);
      const auto gradient = g.all();
      std::vector<double> direction;
      double product = 0;
      for (const double x : gradient) product += x * direction.emplace_back(random.real());
      const double difference =
          (loss(t, direction, 1, dout.view(), o) - loss(t, direction, -1, dout.view(), o)) / 2;
      // Inputs moved by 1 are at most 2: products up to 4, in both losses; the last sum runs over
      // all scores, and so do at most the gradients' sums.
      Sum bound = score_size(scheme, t.sizes.keys);
      const auto scores = static_cast<double>(dout.view().elements());
      bound.size = 4 * (bound.size + 1) * scores;
      bound.length += scores;
      EXPECT_NEAR(product, difference, allowed(DType::f64, bound));
      EXPECT_GT(std::abs(difference), 1e3 * allowed(DType::f64, bound)) << "a weak test";
    }
}

TEST(ContentGradient, OtherTypesAreNearF64) {
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const Content& scheme : small_schemes()) {
      Random random(7);  // whatever schemes stand before it
      SCOPED_TRACE(std::string(alternative_name(scheme)));
      const Stand t(scheme, dtype, {2, 3, 20, 23}, random);
      Stand wide(scheme, DType::f64, t.sizes, random);
      copy_numbers(t, wide);
      const Guarded dout(dtype, {2, 3, 20, 23}), dout64(DType::f64, {2, 3, 20, 23});
      randomize(dout.view(), random);
      for (int64_t i = 0; i < dout.view().elements(); ++i)
        set(dout64.view(), i, get(dout.view(), i));
      const AllGradients g(t, DType::f32), expected(wide, DType::f64);
      run_backward(t, dout.view(), g, options[0]);
      run_backward(wide, dout64.view(), expected, options[0]);
      const auto bounds = gradient_bounds(t);
      for (size_t i = 0; i < bounds.size(); ++i) {
        double largest = 0;
        for (int64_t n = 0; n < g.views()[i].elements(); ++n) {
          const double truth = get(expected.views()[i], n);
          ASSERT_NEAR(get(g.views()[i], n), truth, bounds[i]) << i << ": " << n;
          largest = std::max(largest, std::abs(truth));
        }
        EXPECT_TRUE(largest == 0 || largest > 100 * bounds[i]) << i << ": a weak test";
      }
    }
}

TEST(ContentGradient, ThreadsChangeNothingAndSumsAreAddedTo) {
  Random random(94);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const Stand t(scheme, DType::f32, {3, 3, 130, 150}, random);
    const Threads one(1);
    const AllGradients expected(t, DType::f32);
    run_backward(t, t.scores.view(), expected, {});
    for (const int count : {2, 5}) {
      const Threads more(count);
      const AllGradients g(t, DType::f32);
      run_backward(t, t.scores.view(), g, {});
      EXPECT_EQ(g.all(), expected.all());
      if (count == 5) continue;
      run_backward(t, t.scores.view(), g, {});  // x + x is exact
      const auto twice = g.dscores.view(), once = expected.dscores.view();
      for (int64_t n = 0; n < once.elements(); ++n) EXPECT_EQ(get(twice, n), 2 * get(once, n));
    }
  }
}

// Gradients of a part of the heads are those of all where nothing flows back to the others.
TEST(ContentGradient, PartsOfTheHeads) {
  Random random(96);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const Stand t(scheme, DType::f32, {2, 3, 20, 23}, random);
    const Guarded dout(DType::f32, {2, 3, 20, 23});
    randomize(dout.view(), random);
    for (int64_t n = 0; n < dout.view().elements(); ++n)
      if (n / (20 * 23) % 3 == 0) set(dout.view(), n, 0);
    const AllGradients all(t, DType::f32), part(t, DType::f32);
    run_backward(t, dout.view(), all, options[0]);
    const auto heads = [](const AllGradients& g) {
      return ContentGradients{last_of(g.dq.view(), -2, 2), last_of(g.dk.view(), -2, 2),
                              last_of(g.dgates.view(), -1, 2), last_of(g.dscores.view(), -3, 2)};
    };
    ScoreOptions o = options[0];
    o.first_head = 1;
    const ContentInputs in{last_of(t.q.view(), -2, 2), last_of(t.k.view(), -2, 2),
                           last_of(t.gates.view(), -1, 2)};
    backward(t.plan, in, last_of(t.scores.view(), -3, 2), last_of(dout.view(), -3, 2), heads(part),
             part.dweights.views(), o);
    EXPECT_EQ(part.all(), all.all());
  }
}

TEST(ContentGradient, WhatIsNotWantedIsNotNeeded) {
  Random random(95);
  for (const Content& scheme : small_schemes()) {
    const Stand t(scheme, DType::f32, {2, 3, 20, 23}, random);
    const AllGradients all(t, DType::f32), some(t, DType::f32);
    run_backward(t, t.scores.view(), all, {});
    backward(t.plan, t.inputs(), t.scores.view(), t.scores.view(), {.dq = some.dq.view()}, {});
    EXPECT_EQ(numbers(some.dq.view()), numbers(all.dq.view()));
  }
}

}  // namespace
}  // namespace posenc::gradient_test
