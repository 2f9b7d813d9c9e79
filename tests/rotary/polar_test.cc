// polar_test.cc: PoPE: features as lengths, learned phases of keys, and both gradients.
#include <numbers>

#include "posenc/rotate_into.h"
#include "tests/rotary/worked.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::polar_test {
namespace {

using Numbers = std::vector<double>;

double softplus(double x) { return std::log1p(std::exp(x)); }

// Lengths and phases as the paper has them: sum of |q| |k| cos((i - j) w - phase).
double score(const Numbers& q, const Numbers& k, double distance, const Numbers& phases,
             double base) {
  double sum = 0;
  for (size_t c = 0; c < q.size(); ++c) {
    const double w = std::pow(base, -static_cast<double>(c) / static_cast<double>(q.size()));
    sum += softplus(q[c]) * softplus(k[c]) * std::cos(distance * w - phases[c]);
  }
  return sum;
}

Numbers polar(const Numbers& x, Layout layout) {
  Numbers out(2 * x.size());
  to_polar(tensor(x.data(), {1, 1, std::ssize(x)}), tensor(out.data(), {1, 1, 2 * std::ssize(x)}),
           layout);
  return out;
}

double turned_score(Numbers q, Numbers k, double i, double j, const Numbers& phases,
                    Layout layout) {
  const auto n = std::ssize(q);
  const Rope rope{.dim = 2 * n, .layout = layout, .phases = LearnedPhases{}};
  const Tensor weights[] = {tensor(phases.data(), {1, n})};
  const RotaryPlan plan = prepare(rope, {.weights = weights});
  q = polar(q, layout), k = polar(k, layout);
  const auto at = [](const double& p) { return positions(tensor(&p, {1, 1, 1})); };
  rotate(plan, {.q = tensor(q.data(), {1, 1, 2 * n})}, at(i));
  rotate(plan, {.k = tensor(k.data(), {1, 1, 2 * n})}, at(j));
  double sum = 0;
  for (size_t f = 0; f < q.size(); ++f) sum += q[f] * k[f];
  return sum;
}

TEST(Polar, WorkedNumber) {
  for (const Layout layout : {Layout::half, Layout::interleaved})
    EXPECT_NEAR(turned_score({0.5, -1}, {1, 2}, 3, 1, {0, -0.5}, layout), 0.045872, 5e-7);
}

TEST(Polar, ScoresArePaper) {
  Random random(1);
  for (int round = 0; round < 20; ++round) {
    Numbers q, k, phases;
    for (int c = 0; c < 7; ++c)
      q.push_back(random.real(-4, 4)), k.push_back(random.real(-4, 4)),
          phases.push_back(random.real(-6.28, 0));
    const double i = std::floor(random.real(0, 5000)), j = std::floor(random.real(0, 5000));
    // Seven products of numbers below 5, each turned within 4e-16 of its length; cos of a distance
    // of 5000 in doubles is off by 5000 2^-52.
    for (const Layout layout : {Layout::half, Layout::interleaved})
      EXPECT_NEAR(turned_score(q, k, i, j, phases, layout), score(q, k, i - j, phases, 10000),
                  7 * 25 * (8 * 4e-16 + 5000 * 0x1p-52));
  }
}

// Beyond its bounds a phase is the bound, and has no gradient; at them it has.
TEST(Polar, PhasesHaveBounds) {
  constexpr double turn = 2 * std::numbers::pi;
  const Numbers phases{0.3, -turn - 0.2, 0, -1}, bounded{0, -turn, 0, -1};
  const Numbers q{1, 2, 3, 4}, k{-1, 0.5, 2, 0.25};
  EXPECT_NEAR(turned_score(q, k, 9, 2, phases, Layout::half),
              turned_score(q, k, 9, 2, bounded, Layout::half), 1e-14);
  const Rope rope{.dim = 8, .layout = Layout::half, .phases = LearnedPhases{}};
  const Tensor weights[] = {tensor(phases.data(), {1, 4})};
  const Numbers x(8, 1), dy{1, 2, 3, 4, -1, 2, 0.5, 7};
  Numbers dphase(4);
  backward(prepare(rope, {.weights = weights}), {.k = tensor(x.data(), {1, 1, 8})},
           {.k = tensor(dy.data(), {1, 1, 8})}, tensor(dphase.data(), {1, 4}), range(5));
  EXPECT_EQ(dphase[0], 0);
  EXPECT_EQ(dphase[1], 0);
  EXPECT_NE(dphase[2], 0);
  EXPECT_NE(dphase[3], 0);
  const Numbers before = dphase;
  backward(prepare(rope, {.weights = weights}), {.q = tensor(x.data(), {1, 1, 8})},
           {.q = tensor(dy.data(), {1, 1, 8})}, tensor(dphase.data(), {1, 4}), range(5));
  EXPECT_EQ(dphase, before);  // queries have none
  expect_message(
      [&] {
        backward(prepare(rope, {.weights = weights}), {.q = tensor(x.data(), {1, 1, 8})},
                 {.q = tensor(dy.data(), {1, 1, 8})}, tensor(dphase.data(), {2, 2}), range(5));
      },
      "[backward] expected the gradient of a weight");
}

// Queries turn as without phases, also with more heads than keys have.
TEST(Polar, QueriesHaveNoPhases) {
  Random random(2);
  const Rope rope{.dim = 12, .layout = Layout::interleaved, .phases = LearnedPhases{2}};
  Rope plain = rope;
  plain.phases = NoPhases{};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  for (const DType dtype : float_types) {
    const Array q = make_array(dtype, {3, 6, 12}), k = make_array(dtype, {3, 2, 12});
    randomize(q.view(), random), randomize(k.view(), random);
    const Array alone = q, keys = k, back = k;
    rotate(prepare(plain), {.q = alone.view()}, range(4));
    rotate(plan, {q.view(), k.view()}, range(4));
    EXPECT_EQ(q.bytes, alone.bytes);
    rotate(plan, {.k = keys.view()}, range(4));
    EXPECT_EQ(k.bytes, keys.bytes);
    rotate_inverse(plan, {q.view(), k.view()}, {q.view(), k.view()}, range(4));
    for (int64_t n = 0; n < k.view().elements(); ++n)  // there and back, each rounded twice
      EXPECT_NEAR(get(k.view(), n), get(back.view(), n), 16 * half_ulp(dtype, 1));
  }
}

// rotate_into turns queries without phases and keys with theirs, of one head for every two.
TEST(Polar, RotatesInto) {
  Random random(7);
  const Rope rope{.dim = 12, .layout = Layout::interleaved, .phases = LearnedPhases{2}};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  for (const DType dtype : float_types) {
    const Array q = make_array(dtype, {3, 6, 12}), k = make_array(dtype, {3, 4, 12}),
                v = make_array(dtype, {3, 4, 5});
    for (const Array* a : {&q, &k, &v}) randomize(a->view(), random);
    const Array turned_q = q, turned_k = k, k_cache = make_array(dtype, {1, 8, 4, 12}),
                v_cache = make_array(dtype, {1, 8, 4, 5}), out = q;
    rotate(plan, {turned_q.view(), turned_k.view()}, range(4));
    RotateIntoOptions options{.v = v.view()};
    options.cache.k = k_cache.view(), options.cache.v = v_cache.view();
    rotate_into(plan, {q.view(), k.view()}, {.q = out.view()}, options, range(4));
    EXPECT_EQ(numbers(out.view()), numbers(turned_q.view()));
    for (int64_t n = 0; n < k.view().elements(); ++n)
      EXPECT_NEAR(get(k_cache.view(), 4 * 48 + n), get(turned_k.view(), n),
                  4 * half_ulp(compute_type(dtype), 2) + 2 * half_ulp(dtype, 2));
    for (int64_t n = 0; n < v.view().elements(); ++n)
      EXPECT_EQ(get(v_cache.view(), 4 * 20 + n), get(v.view(), n)) << n;
    const auto before = numbers(k_cache.view());
    options.cache.v = {};
    expect_message(
        [&] {
          rotate_into(plan, {q.view(), k.view()}, {.q = q.view()}, options);
        },
        "[rotate_into] expected cache.v where there is v");
    EXPECT_EQ(numbers(k_cache.view()), before);
  }
}

// Keys that move keep their phases.
TEST(Polar, KeysMove) {
  Random random(3);
  const Rope rope{.dim = 6, .layout = Layout::half, .phases = LearnedPhases{2}};
  const Weights w = random_weights(rope.weights(), random),
                other = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  const Array k = make_array(DType::f64, {5, 2, 6});
  randomize(k.view(), random);
  const Array there = k;
  rotate(plan, {.k = k.view()}, range(3)), rotate(plan, {.k = there.view()}, range(100));
  move(plan, range(3), plan, range(100), k.view());
  for (int64_t n = 0; n < k.view().elements(); ++n)
    EXPECT_NEAR(get(k.view(), n), get(there.view(), n), 16 * 4e-16);
  expect_message(
      [&] { move(plan, range(), prepare(rope, {.weights = other.views()}), range(), k.view()); },
      "[move] expected plans with the same phases of keys, got others");
}

TEST(Polar, EveryTypeAndGradient) {
  Random random(4);
  for (const DType dtype : float_types)
    for (const Layout layout : {Layout::half, Layout::interleaved})
      for (const Placement placement : all_placements) {
        Guarded x(dtype, {3, 5, 7}, placement), out(dtype, {3, 5, 14}, placement),
            dx(dtype, {3, 5, 7}, placement), dout(dtype, {3, 5, 14}, placement);
        randomize(x.view(), random, -30, 30), randomize(out.view(), random);
        randomize(dout.view(), random);
        to_polar(x.view(), out.view(), layout);
        to_polar_backward(x.view(), dout.view(), dx.view(), layout);
        EXPECT_TRUE(out.intact() && dx.intact());
        for (int64_t n = 0; n < 105; ++n) {
          const int64_t f = n % 7, a = n / 7 * 14 + (layout == Layout::half ? f : 2 * f);
          const double at = get(x.view(), n), wanted = at > 0 ? at + softplus(-at) : softplus(at);
          // e^x and ln(1 + x) within two units each, a sum and a rounding.
          const double units = 8 * half_ulp(compute_type(dtype), wanted) + half_ulp(dtype, wanted);
          EXPECT_NEAR(get(out.view(), a), wanted, units);
          EXPECT_EQ(get(out.view(), a + (layout == Layout::half ? 7 : 1)), 0);
          const double slope = get(dout.view(), a) / (1 + std::exp(-at));
          EXPECT_NEAR(get(dx.view(), n), slope,
                      8 * half_ulp(compute_type(dtype), slope) + half_ulp(dtype, slope));
        }
      }
}

// ln(1 + e^x) where e^x is beyond every type.
TEST(Polar, LargeFeaturesAreTheirLengths) {
  for (const DType dtype : float_types)
    for (const double size : {832.0, 60416.0}) {
      const Array x = make_array(dtype, {2}), out = make_array(dtype, {4}), dx = x;
      set(x.view(), 0, size), set(x.view(), 1, -size);
      to_polar(x.view(), out.view(), Layout::half);
      EXPECT_EQ(numbers(out.view()), (Numbers{size, 0, 0, 0})) << to_string(dtype);
      const Array dout = make_array(dtype, {4});
      for (int64_t n = 0; n < 4; ++n) set(dout.view(), n, 0.75);
      to_polar_backward(x.view(), dout.view(), dx.view(), Layout::half);
      EXPECT_EQ(numbers(dx.view()), (Numbers{0.75, 0})) << to_string(dtype);
    }
}

TEST(Polar, SpeaksUp) {
  double x[6] = {};
  const auto call = [&](const Tensor& from, const Tensor& to, Layout layout) {
    return [=] { to_polar(from, to, layout); };
  };
  expect_message(call(tensor(x, {2}), tensor(x + 2, {3}), Layout::half),
                 "[to_polar] expected out like x f64 [2] with twice as many features");
  expect_message(call(tensor(x, {2}), tensor(x + 1, {4}), Layout::half),
                 "[to_polar] expected out apart from x");
  expect_message(call(tensor(x, {2}), tensor(x + 2, {4}), Layout::interleaved_in_half_out),
                 "[to_polar] expected layout half or interleaved");
  Rope both{.dim = 4, .layout = Layout::half, .frequencies = LearnedFrequencies{}};
  both.phases = LearnedPhases{};
  expect_message([&] { both.check(); }, "[rope] expected phases none with frequencies learned");
}

}  // namespace
}  // namespace posenc::polar_test
