// gradient_test.cc: the gradient of everything learned against the forward pass alone.
#include "tests/support/gradient.h"

#include <memory>
#include "tests/relative/cases.h"
#include "tests/support/threads.h"

namespace posenc::gradient_test {
namespace {

using Numbers = std::vector<double>;

Numbers weight_gradient(const PreparedBias& p, const ScoreCase& c, const Tensor& dout) {
  const Weights sums = zero_weights(weights(p.scheme), compute_type(dout.dtype));
  backward(p.plan, dout, sums.views(), c.options());
  Numbers out;
  for (const Tensor& t : sums.views())
    for (const double g : numbers(t)) out.push_back(g);
  return out;
}

// <dout, biases> at weights + step * direction; hidden keys count nothing.
double loss(const PreparedBias& p, const ScoreCase& c, const Tensor& dout, double step,
            const Numbers& direction) {
  Weights moved = p.weights;
  auto v = direction.begin();
  for (Array& a : moved.arrays)
    for (double& w : a.values<double>()) w += step * *v++;
  const Array out = make_array(DType::f64, {dout.shape.begin(), dout.shape.begin() + dout.rank});
  fill(prepare(p.scheme, {.weights = moved.views()}), out.view(), c.options());
  double sum = 0;
  for (int64_t n = 0; n < dout.elements(); ++n)
    if (get(out.view(), n) > -HUGE_VAL) sum += get(dout, n) * get(out.view(), n);
  return sum;
}

// The largest bias: what the losses are made of.
double largest(const PreparedBias& p, const ScoreCase& c, const Tensor& like) {
  const Array out = make_array(DType::f64, {like.shape.begin(), like.shape.begin() + like.rank});
  ScoreCase open = c;
  open.causal = false;
  fill(p.plan, out.view(), open.options());
  double most = 1;
  for (const double b : numbers(out.view())) most = std::max(most, std::abs(b));
  return most;
}

void expect_adjoint(const PreparedBias& p, const ScoreCase& c, const Tensor& dout, Random& random) {
  const auto g = weight_gradient(p, c, dout);
  Numbers direction;
  for (size_t i = 0; i < g.size(); ++i) direction.push_back(random.real());
  const double h = 0x1p-14;
  const auto slope = [&](double step) {
    return (loss(p, c, dout, step, direction) - loss(p, c, dout, -step, direction)) / (2 * step);
  };
  // A central difference is off by c h^2 + ..., one of twice the step by four times that: their
  // own difference is three times the error of the first. Rounding: each of n products is made of
  // sums of fewer than 64 terms and added up, so a loss is within (64 + n) 2^-53 of its size.
  const double near = slope(h), wide = slope(2 * h);
  double size = 0;
  for (const double d : numbers(dout)) size += std::abs(d);
  const double n = static_cast<double>(dout.elements());
  const double rounding = size * largest(p, c, dout) * (64 + n) * 0x1p-53 / h;
  EXPECT_NEAR(product(g, direction), near, std::abs(near - wide) + 2 * rounding) << p.text();
  EXPECT_GT(std::abs(near), 16 * (std::abs(near - wide) + rounding))
      << "says nothing: " << p.text();
}

template <class Body>
void for_everything_learned(const Body& body) {
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    if (!p.weights.arrays.empty()) body(p, random);
  }
}

TEST(BiasGradient, IsTheSlopeOfTheForwardPass) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    Guarded dout(DType::f64, {2, case_heads, 7, 13}, Placement::padded);
    randomize(dout.view(), random);
    const int64_t low = p.is_window() ? 0 : -12, high = p.is_window() ? window_tokens - 1 : 40;
    const auto ids = [&](const std::vector<int64_t>& shape) {
      return TestPlaces(DType::i64, shape, random, low, high);
    };
    expect_adjoint(p, {}, dout.view(), random);
    expect_adjoint(p, {.queries = TestPlaces(6)}, dout.view(), random);
    expect_adjoint(p, {.queries = TestPlaces(6), .causal = true}, dout.view(), random);
    expect_adjoint(p, {.scale = 0.3, .scale_on = ScaleOn::sum}, dout.view(), random);
    expect_adjoint(p, {.scale = 0.3, .scale_on = ScaleOn::scores}, dout.view(), random);
    for (const bool causal : {false, true}) {
      const ScoreCase shared{.queries = ids({7}), .keys = ids({13}), .causal = causal};
      const ScoreCase by_row{.queries = ids({2, 7}), .keys = ids({2, 13}), .causal = causal};
      expect_adjoint(p, shared, dout.view(), random);
      expect_adjoint(p, by_row, dout.view(), random);
      expect_adjoint(p, {.queries = by_row.queries, .causal = causal}, dout.view(), random);
      expect_adjoint(p, {.keys = by_row.keys, .causal = causal}, dout.view(), random);
    }
    if (!p.whole())
      expect_adjoint(p,
                     {.queries = TestPlaces(DType::f64, {7}, random, low, high),
                      .keys = TestPlaces(DType::f64, {13}, random, low, high)},
                     dout.view(), random);
    if (!p.is_window())
      expect_adjoint(p, {.keys = TestPlaces(DType::i64, {13}, random, 0, 4000)}, dout.view(),
                     random);
  });
}

TEST(BiasGradient, OfSomeHeads) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    Guarded dout(DType::f64, {2, 7, 13});
    randomize(dout.view(), random);
    expect_adjoint(p, {.first_head = 3}, dout.view(), random);
  });
}

// Both count by their size, and the slope turns with the sign.
TEST(BiasGradient, OfNegativeCAndMu) {
  Random random(9);
  const Fire scheme{.heads = case_heads, .hidden = 5, .length = 9.5};
  PreparedBias p = prepare_random(scheme, random);
  for (const size_t w : {0, 1}) set(p.weights.views()[w], 0, -get(p.weights.views()[w], 0));
  p.plan = prepare(scheme, {.weights = p.weights.views()});
  Guarded dout(DType::f64, {2, case_heads, 7, 13});
  randomize(dout.view(), random);
  expect_adjoint(p, {.queries = TestPlaces(4)}, dout.view(), random);
}

// Sums are made in f64 and rounded once, whatever the type of dout.
TEST(BiasGradient, EveryTypeAndPlacement) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    for (DType dtype : float_types)
      for (Placement placement : all_placements) {
        Guarded dout(dtype, {2, case_heads, 5, 9}, placement),
            wide(DType::f64, {2, case_heads, 5, 9});
        randomize(dout.view(), random);
        for (int64_t n = 0; n < dout.view().elements(); ++n)
          set(wide.view(), n, get(dout.view(), n));
        const auto found = weight_gradient(p, {}, dout.view()),
                   truth = weight_gradient(p, {}, wide.view());
        for (size_t i = 0; i < truth.size(); ++i)
          ASSERT_EQ(found[i], dtype == DType::f64 ? truth[i] : static_cast<float>(truth[i]));
        ASSERT_TRUE(dout.intact());
      }
  });
}

TEST(BiasGradient, AddsToWhatIsThere) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    Guarded dout(DType::f32, {case_heads, 5, 9});
    randomize(dout.view(), random);
    const auto g = weight_gradient(p, {}, dout.view());
    for (const Placement placement : all_placements) {
      std::vector<std::unique_ptr<Guarded>> sums;
      std::vector<Tensor> views;
      for (const Weight& w : weights(p.scheme)) {
        sums.push_back(std::make_unique<Guarded>(DType::f32, w.shape, placement));
        views.push_back(sums.back()->view());
        for (int64_t n = 0; n < views.back().elements(); ++n) set(views.back(), n, 3);
      }
      backward(p.plan, dout.view(), views);
      size_t i = 0;
      for (size_t w = 0; w < views.size(); ++w) {
        for (const double s : numbers(views[w])) ASSERT_EQ(s, 3 + static_cast<float>(g[i++]));
        ASSERT_TRUE(sums[w]->intact());
      }
    }
  });
}

// What a mask hides is not read, be it NaN.
TEST(BiasGradient, HiddenKeysCountNothing) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    Guarded dout(DType::f64, {case_heads, 6, 6});
    randomize(dout.view(), random);
    const auto before = weight_gradient(p, {.causal = true}, dout.view());
    for (int64_t n = 0; n < dout.view().elements(); ++n)
      if (n % 6 > n / 6 % 6) set(dout.view(), n, NAN);
    EXPECT_EQ(weight_gradient(p, {.causal = true}, dout.view()), before) << p.text();
  });
}

TEST(BiasGradient, ThreadsChangeNothing) {
  for_everything_learned([](const PreparedBias& p, Random& random) {
    Guarded dout(DType::f32, {80, case_heads, 15, 15});  // bytes for several threads
    randomize(dout.view(), random);
    const TestPlaces by_row(DType::i32, {80, 15}, random, 0, 14);
    for (const ScoreCase& c : {ScoreCase{}, ScoreCase{.queries = by_row}}) {
      Numbers one;
      {
        const Threads single(1);
        one = weight_gradient(p, c, dout.view());
      }
      for (const int count : {2, 4}) {
        const Threads several(count);
        EXPECT_EQ(weight_gradient(p, c, dout.view()), one) << p.text();
      }
    }
  });
}

TEST(BiasGradient, NothingLearnedNothingWanted) {
  Guarded dout(DType::f32, {8, 3, 3});
  backward(prepare(Alibi{}), dout.view(), {});
  EXPECT_TRUE(dout.intact());
}

}  // namespace
}  // namespace posenc::gradient_test
