// Gradients of content terms against the forward pass alone.
#include <gtest/gtest.h>

#include "tests/content/schemes.h"
#include "tests/support/threads.h"

namespace posenc {
namespace {

// Everything a term reads, and its gradient, in one order.
struct Gradients {
  Guarded dq, dk, dscores;
  Weights dweights;

  Gradients(const Stand& t, DType dtype, Placement placement = Placement::dense)
      : dq(dtype, {t.sizes.rows, t.sizes.queries, t.sizes.heads, t.dim}, placement),
        dk(dtype, {t.sizes.rows, t.sizes.keys, t.sizes.heads, t.dim}, placement),
        dscores(dtype, {t.sizes.rows, t.sizes.heads, t.sizes.queries, t.sizes.keys}, placement),
        dweights(zero_weights(weights(t.scheme), dtype)) {
    for (const Tensor& g : views())
      for (int64_t n = 0; n < g.elements(); ++n) set(g, n, 0);
  }
  std::vector<Tensor> views() const {
    std::vector<Tensor> out{dq.view(), dk.view(), dscores.view()};
    for (const Tensor& w : dweights.views()) out.push_back(w);
    return out;
  }
  std::vector<double> all() const {
    std::vector<double> out;
    for (const Tensor& g : views())
      for (const double x : numbers(g)) out.push_back(x);
    return out;
  }
};

void run_backward(const Stand& t, const Tensor& dout, const Gradients& to, const ScoreOptions& o) {
  backward(t.plan, t.inputs(), t.scores.view(), dout,
           {.dq = to.dq.view(), .dk = to.dk.view(), .dscores = to.dscores.view()},
           to.dweights.views(), o);
}

// <dout, add(everything + step * direction)> over the scores that are not hidden.
double loss(const Stand& t, const std::vector<double>& direction, double step, const Tensor& dout,
            const ScoreOptions& o) {
  const Gradients moved(t, DType::f64);
  std::vector<Tensor> from{t.q.view(), t.k.view(), t.scores.view()};
  for (const Tensor& w : t.weights.views()) from.push_back(w);
  auto d = direction.begin();
  for (size_t i = 0; i < from.size(); ++i)
    for (int64_t n = 0; n < from[i].elements(); ++n)
      set(moved.views()[i], n, get(from[i], n) + step * *d++);
  const Tensor out = moved.dscores.view();
  add(prepare(t.scheme, moved.dweights.views()), {moved.dq.view(), moved.dk.view()}, out, out, o);
  double sum = 0;
  for (int64_t n = 0; n < out.elements(); ++n)
    if (std::isfinite(get(out, n))) sum += get(out, n) * get(dout, n);
  return sum;
}

// How many products of numbers up to 1 make one score, and how long its sums are.
Sum score_size(const Content& scheme) {
  if (const auto* xl = std::get_if<TransformerXl>(&scheme))
    return {.size = static_cast<double>(2 * xl->dim * (xl->sinusoids.dim + 1)),
            .length = static_cast<double>(xl->dim + xl->sinusoids.dim)};
  const auto dim =
      static_cast<double>(std::visit([](const auto& s) { return s.reads().dim; }, scheme));
  return {.size = 2 * dim, .length = 2 * dim};
}

const ScoreOptions options[] = {
    {.scale = 0.5}, {.queries = range(5), .causal = true, .scale = 0.25, .scale_on = ScaleOn::sum}};

// Each score is a polynomial of degree two in q, k, scores and weights together, so the central
// difference over a step of 1 is the derivative itself: <gradient, direction>.
TEST(ContentGradient, IsTheDerivative) {
  Random random(91);
  auto schemes = small_schemes();
  schemes.push_back(TransformerXl{.dim = 5, .heads = 3, .sinusoids = {.dim = 6}, .legacy = true});
  for (const Content& scheme : schemes)
    for (const ScoreOptions& o : options) {
      const auto* xl = std::get_if<TransformerXl>(&scheme);
      const bool legacy = xl && xl->legacy;
      SCOPED_TRACE(std::string(alternative_name(scheme)));
      const Stand t(scheme, DType::f64, {2, 3, 66, legacy ? 66 + o.queries.first : 70}, random);
      const Guarded dout(DType::f64, {t.sizes.rows, 3, t.sizes.queries, t.sizes.keys},
                         Placement::padded);
      randomize(dout.view(), random);
      const Gradients g(t, DType::f64, Placement::spaced);
      run_backward(t, dout.view(), g, o);
      const auto gradient = g.all();
      std::vector<double> direction;
      double product = 0;
      for (const double x : gradient) product += x * direction.emplace_back(random.real());
      const double difference =
          (loss(t, direction, 1, dout.view(), o) - loss(t, direction, -1, dout.view(), o)) / 2;
      // Inputs moved by 1 are at most 2: products up to 4, in both losses; the last sum runs over
      // all scores, and so do at most the gradients' sums.
      Sum bound = score_size(scheme);
      const auto scores = static_cast<double>(dout.view().elements());
      bound.size = 4 * (bound.size + 1) * scores;
      bound.length += scores;
      EXPECT_NEAR(product, difference, allowed(DType::f64, bound));
      EXPECT_GT(std::abs(difference), 1e3 * allowed(DType::f64, bound)) << "a weak test";
    }
}

// In the other types the same numbers give the gradients of f64, but for the roundings of f32.
TEST(ContentGradient, OtherTypesAreNearF64) {
  Random random(92);
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16})
    for (const Content& scheme : small_schemes()) {
      SCOPED_TRACE(std::string(alternative_name(scheme)));
      const Sizes n{2, 3, 20, 23};
      const Stand t(scheme, dtype, n, random);
      Random same(93);
      const Stand wide(scheme, DType::f64, n, same);
      for (const auto& [from, to] : {std::pair{&t.q, &wide.q}, {&t.k, &wide.k}})
        for (int64_t i = 0; i < from->view().elements(); ++i)
          set(to->view(), i, get(from->view(), i));
      const Guarded dout(dtype, {n.rows, n.heads, n.queries, n.keys});
      const Guarded dout64(DType::f64, {n.rows, n.heads, n.queries, n.keys});
      randomize(dout.view(), random);
      for (int64_t i = 0; i < dout.view().elements(); ++i)
        set(dout64.view(), i, get(dout.view(), i));
      const Gradients g(t, DType::f32), expected(wide, DType::f64);
      const ContentPlan plan = prepare(scheme, t.weights.views());
      run_backward(t, dout.view(), g, options[0]);
      backward(
          plan, wide.inputs(), wide.scores.view(), dout64.view(),
          {.dq = expected.dq.view(), .dk = expected.dk.view(), .dscores = expected.dscores.view()},
          expected.dweights.views(), options[0]);
      // A gradient sums at most all scores of all heads, each times a product of score_size.
      Sum bound = score_size(scheme);
      const auto scores = static_cast<double>(dout.view().elements());
      bound.size = bound.size * scores, bound.length += scores;
      const auto got = g.all(), wanted = expected.all();
      for (size_t i = 0; i < got.size(); ++i)
        ASSERT_NEAR(got[i], wanted[i], allowed(DType::f32, bound)) << i;
    }
}

TEST(ContentGradient, ThreadsChangeNothingAndSumsAreAddedTo) {
  Random random(94);
  for (const Content& scheme : small_schemes()) {
    SCOPED_TRACE(std::string(alternative_name(scheme)));
    const Stand t(scheme, DType::f32, {3, 3, 130, 150}, random);
    const Threads one(1);
    const Gradients expected(t, DType::f32);
    run_backward(t, t.scores.view(), expected, {});
    for (const int count : {2, 5}) {
      const Threads more(count);
      const Gradients g(t, DType::f32);
      run_backward(t, t.scores.view(), g, {});
      EXPECT_EQ(g.all(), expected.all());
      if (count == 5) continue;
      run_backward(t, t.scores.view(), g, {});  // x + x is exact
      const auto twice = g.dscores.view(), once = expected.dscores.view();
      for (int64_t n = 0; n < once.elements(); ++n) EXPECT_EQ(get(twice, n), 2 * get(once, n));
    }
  }
}

TEST(ContentGradient, WhatIsNotWantedIsNotNeeded) {
  Random random(95);
  for (const Content& scheme : small_schemes()) {
    const Stand t(scheme, DType::f32, {2, 3, 20, 23}, random);
    const Gradients all(t, DType::f32), some(t, DType::f32);
    run_backward(t, t.scores.view(), all, {});
    backward(t.plan, t.inputs(), t.scores.view(), t.scores.view(), {.dq = some.dq.view()}, {});
    EXPECT_EQ(numbers(some.dq.view()), numbers(all.dq.view()));
  }
}

}  // namespace
}  // namespace posenc
