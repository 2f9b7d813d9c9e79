// fourier_test.cc: FoPE against its formula, written again by hand.
#include "tests/rotary/worked.h"
#include "tests/support/message.h"
#include "tests/support/weights.h"

namespace posenc::fourier_test {
namespace {

constexpr int64_t tokens = 5, length = 40;

Rope fope(int64_t heads, RestPairs rest = RestPairs::still, Layout layout = Layout::half) {
  return {.dim = 16,
          .layout = layout,
          .frequencies = Fourier{.heads = heads, .max_position_embeddings = length, .rest = rest}};
}

// The cosine or sine of pair d of a head at a position: the frequencies above 2 pi / 40 = 0.157 of
// 10^(-d / 2), d < 8, are two.
double mixed(const Weights& w, int64_t is_sine, int64_t heads, int64_t head, int64_t d, double p,
             double rest) {
  if (d >= 2) return is_sine ? rest : 1;
  double sum = 0;
  for (int64_t i = 0; i < 2; ++i) {
    const double angle = p * std::pow(10, -0.5 * static_cast<double>(i));
    sum += (is_sine ? std::sin(angle) : std::cos(angle)) *
           get(w.arrays[0].view(), ((is_sine * heads + head) * 2 + i) * 2 + d);
  }
  return sum;
}

struct Pair {
  int64_t a, b;
};
Pair pair(Layout layout, int64_t d) {
  return layout == Layout::half ? Pair{d, d + 8} : Pair{2 * d, 2 * d + 1};
}

TEST(Fourier, FrequenciesBelowOneTurnAreZero) {
  const auto f = [](const Rope& rope) {
    Random random(1);
    const Weights w = random_weights(rope.weights(), random);
    const RotaryPlan plan = prepare(rope, {.weights = w.views()});
    std::vector<double> out;
    for (const Frequency& x : plan.frequencies()) out.push_back(radians(x));
    return out;
  };
  expect_numbers(f(fope(1)), {1, 0.316227766, 0, 0, 0, 0, 0, 0}, 1e-9);
  Rope three = fope(1);
  std::get<Fourier>(three.frequencies).num_inv_freq = 3;
  expect_numbers(f(three), {1, 0.316227766, 0.1, 0, 0, 0, 0, 0}, 1e-9);
  EXPECT_EQ(three.weights()[0].shape, (std::vector<int64_t>{2, 1, 3, 3}));
}

TEST(Fourier, PairThatIsNotKept) {  // (1, 0) -> (1, 1), or stands still
  for (const RestPairs rest : {RestPairs::ones, RestPairs::still}) {
    Random random(2);
    const Rope rope = fope(1, rest);
    const Weights w = random_weights(rope.weights(), random);
    std::vector<double> x(16);
    x[7] = 1;
    rotate(prepare(rope, {.weights = w.views()}), {.q = tensor(x.data(), {1, 1, 16})}, range(9));
    EXPECT_EQ(x[7], 1);
    EXPECT_EQ(x[15], rest == RestPairs::ones ? 1 : 0);
  }
}

TEST(Fourier, TurnsAndTransposesAndInverts) {
  Random random(3);
  for (const Layout layout : {Layout::half, Layout::interleaved})
    for (const int64_t heads : {1, 3})
      for (const RestPairs rest : {RestPairs::ones, RestPairs::still})
        for (const DType dtype : float_types) {
          Rope rope = fope(heads, rest, layout);
          rope.offset = heads - 1;
          const Weights w = random_weights(rope.weights(), random);
          const RotaryPlan plan = prepare(rope, {.weights = w.views()});
          const Array x = make_array(dtype, {tokens, 6, 16}), y = x, back = x, adjoint = x;
          randomize(x.view(), random);
          rotate(plan, {.q = x.view()}, {.q = y.view()}, range(7));
          rotate_adjoint(plan, {.q = x.view()}, {.q = adjoint.view()}, range(7));
          rotate_inverse(plan, {.q = y.view()}, {.q = back.view()}, range(7));
          // Rows are f64, rounded once to the compute type; sums of two products below 4.
          const double units = 8 * half_ulp(compute_type(dtype), 4) + half_ulp(dtype, 4);
          for (int64_t t = 0; t < tokens; ++t)
            for (int64_t h = 0; h < 6; ++h)  // two share a head of coefficients
              for (int64_t d = 0; d < 8; ++d) {
                const int64_t head = heads == 1 ? 0 : h / 2, at = (t * 6 + h) * 16;
                const double p = static_cast<double>(t + 7 + heads - 1),
                             one = rest == RestPairs::ones ? 1 : 0;
                const double c = mixed(w, 0, heads, head, d, p, one),
                             s = mixed(w, 1, heads, head, d, p, one);
                const auto [i, j] = pair(layout, d);
                const double a = get(x.view(), at + i), b = get(x.view(), at + j);
                EXPECT_NEAR(get(y.view(), at + i), a * c - b * s, units);
                EXPECT_NEAR(get(y.view(), at + j), a * s + b * c, units);
                EXPECT_NEAR(get(adjoint.view(), at + i), a * c + b * s, units);
                EXPECT_NEAR(get(adjoint.view(), at + j), b * c - a * s, units);
                const double norm = std::sqrt(c * c + s * s);
                EXPECT_NEAR(get(back.view(), at + i), a, 4 * units / norm);
                EXPECT_NEAR(get(back.view(), at + j), b, 4 * units / norm);
              }
        }
}

// Every pair, also one that is dropped, turns the other way.
TEST(Fourier, NegativeSignIsTheTranspose) {
  Random random(6);
  for (const RestPairs rest : {RestPairs::ones, RestPairs::still}) {
    const Rope rope = fope(3, rest);
    Rope other = rope;
    other.sign = Sign::negative;
    const Weights w = random_weights(rope.weights(), random);
    const Array x = make_array(DType::f64, {tokens, 6, 16}), y = x, adjoint = x;
    randomize(x.view(), random);
    rotate(prepare(other, {.weights = w.views()}), {.q = x.view()}, {.q = y.view()}, range(7));
    rotate_adjoint(prepare(rope, {.weights = w.views()}), {.q = x.view()}, {.q = adjoint.view()},
                   range(7));
    for (int64_t n = 0; n < x.view().elements(); ++n)
      EXPECT_NEAR(get(y.view(), n), get(adjoint.view(), n), 16 * 0x1p-53 * 4);
  }
}

// The loss is linear in the coefficients, so that any step gives the slope.
TEST(Fourier, GradientOfCoefficients) {
  Random random(4);
  for (const int64_t heads : {1, 3}) {
    Rope rope = fope(heads, RestPairs::ones, Layout::interleaved);
    rope.offset = 2;
    Weights w = random_weights(rope.weights(), random);
    const Array x = make_array(DType::f64, {2, tokens, 6, 16}), dy = x;
    randomize(x.view(), random), randomize(dy.view(), random);
    const Weights sum = zero_weights(rope.weights(), DType::f64);
    backward(prepare(rope, {.weights = w.views()}), {.k = x.view()}, {.k = dy.view()},
             sum.arrays[0].view(), range(11));
    const auto loss = [&] {
      const Array y = x;
      rotate(prepare(rope, {.weights = w.views()}), {.k = y.view()}, range(11));
      double out = 0;
      for (int64_t n = 0; n < y.view().elements(); ++n) out += get(y.view(), n) * get(dy.view(), n);
      return out;
    };
    const double before = loss();
    for (int64_t i = 0; i < w.arrays[0].view().elements(); ++i) {
      const double was = get(w.arrays[0].view(), i);
      set(w.arrays[0].view(), i, was + 1);
      // Sums of 960 products of numbers below 3.
      EXPECT_NEAR(get(sum.arrays[0].view(), i), loss() - before, 960 * 9 * 960 * 0x1p-53);
      set(w.arrays[0].view(), i, was);
    }
  }
}

// An offset is a shift of positions for the temperature on queries too.
TEST(Fourier, OffsetIsAShift) {
  Random random(6);
  Rope rope = fope(2);
  rope.temperature = LogTemperature{.scale = 0.3, .floor = 4};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plain = prepare(rope, {.weights = w.views()});
  rope.offset = 5;
  const RotaryPlan shifted = prepare(rope, {.weights = w.views()});
  const Array x = make_array(DType::f64, {tokens, 4, 16}), dy = x;
  randomize(x.view(), random), randomize(dy.view(), random);
  const auto turned = [&](const RotaryPlan& plan, int64_t first) {
    const Array y = x, back = x;
    rotate(plan, {.q = x.view()}, {.q = y.view()}, range(first));
    rotate_inverse(plan, {.q = x.view()}, {.q = back.view()}, range(first));
    const Weights sum = zero_weights(rope.weights(), DType::f64);
    backward(plan, {.q = x.view()}, {.q = dy.view()}, sum.arrays[0].view(), range(first));
    return std::vector{numbers(y.view()), numbers(back.view()), numbers(sum.arrays[0].view())};
  };
  EXPECT_EQ(turned(shifted, 4), turned(plain, 9));
  EXPECT_NE(turned(shifted, 4), turned(plain, 4));
}

TEST(Fourier, SpeaksUp) {
  Random random(5);
  const Weights w = random_weights(fope(1).weights(), random);
  const RotaryPlan plan = prepare(fope(1), {.weights = w.views()});
  double x[16] = {};
  expect_message(
      [&] {
        rotate(plan, {.q = tensor(x, {1, 1, 16})}, range(40));
      },
      "[rotate] expected positions from 0 to 39, got 40 to 40");
  expect_message(
      [&] {
        move(plan, range(), plan, range(1), tensor(x, {1, 1, 16}));
      },
      "[move] expected plans that rotate by angles, got frequencies fourier");
  Rope none = fope(1);
  std::get<Fourier>(none.frequencies).max_position_embeddings = 6;
  expect_message([&] { none.check(); }, "that keep some, got 6");
  none = fope(1), none.offset = 3;
  expect_message(
      [&] {
        rotate(prepare(none, {.weights = w.views()}), {.q = tensor(x, {1, 1, 16})}, range(37));
      },
      "[rotate] expected positions from -3 to 36, got 37 to 37");
  EXPECT_EQ(Fourier{}.rest, RestPairs::ones);  // the paper's code
  none = fope(1), none.axes = Chunked{{{4, 4}}};
  expect_message([&] { none.check(); }, "expected axes one with frequencies fourier");
}

}  // namespace
}  // namespace posenc::fourier_test
