// kerple_weight_test.cc: scores times KERPLE's kernel.
#include <gtest/gtest.h>

#include "tests/content/gradients.h"
#include "tests/support/message.h"

namespace posenc::kerple_weight_test {
namespace {

ContentPlan plan_of(const KerpleWeight& s, double a, double p) {
  const Tensor weights[] = {tensor(&a, {1}), tensor(&p, {1})};
  return prepare(s, {.weights = weights});
}

// a = .5 and p = 1.5 at distance 3 is exp(-2.598076), the power form's bias as an exponent.
TEST(KerpleWeight, WorkedNumbers) {
  double out[] = {1, 2, -3, 4};
  const Tensor scores = tensor(out, {1, 1, 4});
  add(plan_of({.heads = 1}, 0.5, 1.5), {}, scores, {.queries = range(3)});
  EXPECT_NEAR(out[0], 0.0744166024, 1e-10);
  EXPECT_NEAR(out[2], -3 * std::exp(-0.5), 1e-15);
  EXPECT_EQ(out[3], 4);
}

// The authors read numbers as at least 0.01 and p as at most 2; scores that are masked stay so.
TEST(KerpleWeight, WeightsAreReadClamped) {
  const double hidden = -std::numeric_limits<double>::infinity();
  for (const auto& [a, p, read_a, read_p] :
       {std::array{-1.0, 3.0, 0.01, 2.0}, {0.5, -1.0, 0.5, 0.01}}) {
    double out[] = {1, hidden, 1};
    add(plan_of({.heads = 1}, a, p), {}, tensor(out, {1, 1, 3}), {.queries = range(2)});
    EXPECT_NEAR(out[0], std::exp(-read_a * std::pow(2, read_p)), 1e-15);
    EXPECT_EQ(out[1], hidden);
    EXPECT_EQ(out[2], 1);
  }
  std::vector<double> far(2001, hidden);
  add(plan_of({.heads = 1}, .5, 1), {}, tensor(far.data(), {1, 1, 2001}), {.queries = range(2000)});
  for (const double score : far) EXPECT_EQ(score, hidden);
  EXPECT_NO_THROW(plan_of({.heads = 1, .clamp = false}, 0, 0));
  expect_message([] { plan_of({.heads = 1, .clamp = false}, -1, 1); },
                 "[kerple-weight] expected a of at least 0, got -1");
  expect_message([] { plan_of({.heads = 1, .clamp = false}, 1, NAN); },
                 "[kerple-weight] expected p of at least 0, got nan");
}

TEST(KerpleWeight, IsItsFormula) {
  Random random(51);
  const ScoreOptions options[] = {{},
                                  {.queries = range(12),
                                   .keys = range(3),
                                   .first_head = 2,
                                   .causal = true,
                                   .scale = 0.3,
                                   .scale_on = ScaleOn::sum}};
  const KerpleWeight s{.heads = 5};
  for (const DType dtype : float_types)
    for (const ScoreOptions& o : options)
      expect_term(s, Stand(s, dtype, {2, 3, 19, 26}, random, Placement::spaced), o);
}

// A product may be scaled before or after.
TEST(KerpleWeight, AnyPlaceOfTheScale) {
  Random random(54);
  const Stand t(KerpleWeight{.heads = 3}, DType::f64, {2, 3, 5, 9}, random);
  const auto scaled = [&](ScaleOn on) {
    add(t.plan, t.inputs(), t.scores.view(), t.out.view(), {.scale = 0.25, .scale_on = on});
    return numbers(t.out.view());
  };
  EXPECT_EQ(scaled(ScaleOn::scores), scaled(ScaleOn::sum));
}

// Places that are ids, real ones too, are as good as ranges.
TEST(KerpleWeight, AnyPlaces) {
  Random random(52);
  const Stand t(KerpleWeight{.heads = 3}, DType::f64, {2, 3, 5, 9}, random);
  const TestPlaces queries(DType::f64, {2, 5}, random, 0, 9), keys = rising_keys(2, 9);
  add(t.plan, t.inputs(), t.scores.view(), t.out.view(),
      {.queries = queries.at(), .keys = keys.at()});
  for_every_score(t.sizes, [&](int64_t row, int64_t head, int64_t query, int64_t key) {
    const double r =
        std::abs(get(queries.at().ids, row * 5 + query) - get(keys.at().ids, row * 9 + key));
    const double a = std::max(t.weight(0, head), 0.01), p = std::max(t.weight(1, head), 0.01);
    const int64_t n = t.score(row, head, query, key);
    EXPECT_NEAR(get(t.out.view(), n), get(t.scores.view(), n) * std::exp(-a * std::pow(r, p)),
                1e-14);
  });
}

// <gradient, direction> against a central difference of step h = 1e-5, with a from 1/4 to 3/4 and
// p from 1/2 to 3/2, which nothing clamps. Distances are up to 12, so r^p ln(r)^3 is below 700 and
// the third derivative of a score along a direction below 1/16 of a and p, times the exponential,
// below 10; the 270 scores are off by h^2 / 6 (10) 270 < 1e-7, and by 2^-52 (2) 270 / h < 2e-8.
TEST(KerpleWeight, GradientIsThatOfTheForward) {
  Random random(53);
  const TestPlaces queries(DType::f64, {2, 5}, random, 0, 9);
  for (const ScoreOptions& o :
       {ScoreOptions{.queries = range(3), .scale = 0.5},
        {.queries = queries.at(), .first_head = 1, .causal = true, .scale_on = ScaleOn::sum}}) {
    Stand t(KerpleWeight{.heads = 4}, DType::f64, {2, 3, 5, 9}, random);
    randomize(t.weights.views()[0], random, 0.25, 0.75);
    randomize(t.weights.views()[1], random, 0.5, 1.5);
    t.plan = prepare(t.scheme, {.weights = t.weights.views()});
    const AllGradients g(t, DType::f64);
    expect_difference(t, g, o, random, 1.0 / 16, 1e-5, 1.3e-7);
    EXPECT_GT(std::abs(get(g.dweights.views()[0], 1)), 1e-3);
    EXPECT_GT(std::abs(get(g.dweights.views()[1], 1)), 1e-3);
  }
}

// At distance 2, with a of -1 read as 0.01 and p of 3 as 2: 4 and 0.04 ln 2 times exp(-0.04).
TEST(KerpleWeight, GradientAtTheNumberRead) {
  Random random(55);
  Stand t(KerpleWeight{.heads = 1}, DType::f64, {1, 1, 1, 3}, random);
  set(t.weights.views()[0], 0, -1), set(t.weights.views()[1], 0, 3);
  t.plan = prepare(t.scheme, {.weights = t.weights.views()});
  const Guarded dout(DType::f64, {1, 1, 1, 3});
  for (int64_t n = 0; n < 3; ++n) set(t.scores.view(), n, n == 0), set(dout.view(), n, n == 0);
  const AllGradients g(t, DType::f64);
  run_backward(t, dout.view(), g, {.queries = range(2)});
  EXPECT_NEAR(get(g.dweights.views()[0], 0), -4 * std::exp(-0.04), 1e-14);
  EXPECT_NEAR(get(g.dweights.views()[1], 0), -0.04 * std::log(2) * std::exp(-0.04), 1e-15);
}

TEST(KerpleWeight, OptionsAreChecked) {
  EXPECT_THROW((KerpleWeight{.heads = 0}).check(), Error);
  for (const auto& preset : KerpleWeight::presets()) EXPECT_NO_THROW(preset.value.check());
}

}  // namespace
}  // namespace posenc::kerple_weight_test
