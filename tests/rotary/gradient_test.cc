// gradient_test.cc: the gradient of learned frequencies and phases against the forward pass alone.
#include "tests/support/gradient.h"
#include "tests/support/message.h"
#include "tests/support/rotation.h"
#include "tests/support/threads.h"

namespace posenc::gradient_test {
namespace {

constexpr int64_t heads = 4, batch = 2, tokens = 6;

const std::vector<Rope>& ropes() {
  static const std::vector<Rope> all = [] {
    const LogTemperature warm{.scale = 0.3, .floor = 2};
    std::vector<Rope> out;
    for (const Layout l : all_layouts)
      for (const Rope& rope :
           std::vector<Rope>{{.dim = 10, .layout = l, .frequencies = LearnedFrequencies{1, 1}},
                             {.dim = 10, .layout = l, .frequencies = LearnedFrequencies{4, 2}},
                             {.dim = 10, .layout = l, .frequencies = LearnedFrequencies{2, 2}},
                             {.dim = 14,
                             .layout = l,
                             .rotary_dim = 8,
                             .rotary_offset = -10,
                             .blocks = 2,
                             .frequencies = LearnedFrequencies{1, 3}},
                             {.dim = 10,
                             .layout = l,
                             .rotary_heads = 2,
                             .first_head = -2,
                             .sign = Sign::negative,
                             .offset = 1,
                             .frequencies = LearnedFrequencies{2, 2}},
                             {.dim = 10, .layout = l, .phases = LearnedPhases{}},
                             {.dim = 10,
                             .layout = l,
                             .sign = Sign::negative,
                             .phases = LearnedPhases{heads},
                             .decay = XPos{.scale_base = 16}},
                             {.dim = 10,
                             .layout = l,
                             .frequencies = LearnedFrequencies{1, 2},
                             .decay = XPos{.scale_base = 16},
                             .temperature = warm}})
        out.push_back(rope);
    return out;
  }();
  return all;
}

struct Step {
  Array q, k, dq, dk;
  TestPlaces at;

  Step(const Rope& rope, DType dtype, Random& random, DType ids)
      : Step(rope, dtype, random,
             TestPlaces(ids, {rope.axis_count(), batch, tokens}, random, 0, 3)) {}
  Step(const Rope& rope, DType dtype, Random& random, const TestPlaces& where) : at(where) {
    for (Array* a : {&q, &k, &dq, &dk}) {
      *a = make_array(dtype, {batch, tokens, heads, rope.dim});
      randomize(a->view(), random);
    }
  }
  QueriesKeys x() const { return {q.view(), k.view()}; }
  QueriesKeys dy() const { return {dq.view(), dk.view()}; }
};

std::vector<double> gradient(const Rope& rope, const Weights& w, const Step& step) {
  const Weights sum = zero_weights(rope.weights(), compute_type(step.q.dtype));
  backward(prepare(rope, {.weights = w.views()}), step.x(), step.dy(), sum.arrays[0].view(),
           step.at.at());
  return numbers(sum.arrays[0].view());
}

// <dy, rotate(x)> at weights + h * direction.
double loss(const Rope& rope, Weights w, double h, const std::vector<double>& direction,
            const Step& step) {
  auto v = direction.begin();
  for (double& f : w.arrays[0].values<double>()) f += h * *v++;
  const Array q = step.q, k = step.k;
  rotate(prepare(rope, {.weights = w.views()}), {q.view(), k.view()}, step.at.at());
  return product(numbers(step.dq.view()), numbers(q.view())) +
         product(numbers(step.dk.view()), numbers(k.view()));
}

// A phase moves by at most 7 (position and offset) on each axis for a direction with entries below
// 1; entries of x and dy are below 1 too, and factors of xPos and temperature below 2. The central
// difference is off by h^2 / 6 of the third derivative, and by the rounding of both losses: turned
// numbers within 1e-15, the sum of n terms within n 2^-53 of them.
TEST(RotaryGradient, IsThatOfTheForwardPass) {
  Random random(1);
  for (const Rope& rope : ropes()) {
    const auto some = [&](DType ids, int64_t rows) {
      return TestPlaces(ids, {rope.axis_count(), rows, tokens}, random, 0, 5);
    };
    for (const TestPlaces& at : {some(DType::i64, batch), some(DType::f64, batch),
                                 some(DType::i32, 1), some(DType::f64, 1), TestPlaces(1)}) {
      SCOPED_TRACE(options_text(rope) + at.name());
      const Weights w = random_weights(rope.weights(), random);
      const Step step(rope, DType::f64, random, at);
      const auto g = gradient(rope, w, step);
      std::vector<double> direction;
      for (size_t i = 0; i < g.size(); ++i) direction.push_back(random.real());
      const double h = 1e-5, turn = 7.0 * static_cast<double>(rope.axis_count());
      const double n = 2.0 * static_cast<double>(step.q.view().elements()), size = 4 * n;
      const double curve = size * turn * turn * turn * h * h / 6;
      const double rounding = size * (1e-15 + n * 0x1p-53) / h;
      const double difference =
          (loss(rope, w, h, direction, step) - loss(rope, w, -h, direction, step)) / (2 * h);
      EXPECT_NEAR(product(g, direction), difference, curve + rounding);
      EXPECT_GT(std::abs(difference), 100 * (curve + rounding)) << "nothing to compare";
    }
  }
}

// Sums are done in f64 and rounded once, so a gradient of f32 or less is that of the same numbers
// in f64, rounded.
TEST(RotaryGradient, EveryType) {
  Random random(2);
  for (const Rope& rope : ropes())
    for (const DType dtype : float_types) {
      const Weights w = random_weights(rope.weights(), random);
      const Step step(rope, dtype, random, DType::i32);
      Step wide = step;
      const auto widen = [](const Array& from, Array& to) {
        to = make_array(DType::f64, from.shape);
        for (int64_t n = 0; n < from.view().elements(); ++n) set(to.view(), n, get(from.view(), n));
      };
      widen(step.q, wide.q), widen(step.k, wide.k), widen(step.dq, wide.dq);
      widen(step.dk, wide.dk);
      const auto found = gradient(rope, w, step), truth = gradient(rope, w, wide);
      for (size_t i = 0; i < truth.size(); ++i)
        EXPECT_LE(std::abs(found[i] - truth[i]), half_ulp(compute_type(dtype), truth[i]));
    }
}

TEST(RotaryGradient, IsAdded) {
  Random random(3);
  const Rope rope = ropes()[1];
  const Weights w = random_weights(rope.weights(), random);
  const Step step(rope, DType::f64, random, DType::i64);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  Guarded sum(DType::f64, {4, 5, 2}, Placement::swapped);
  randomize(sum.view(), random, 3, 3);
  const QueriesKeys q{.q = step.q.view()}, dq{.q = step.dq.view()};
  const QueriesKeys k{.k = step.k.view()}, dk{.k = step.dk.view()};
  backward(plan, q, dq, sum.view(), step.at.at());
  backward(plan, k, dk, sum.view(), step.at.at());
  EXPECT_TRUE(sum.intact());
  const auto both = gradient(rope, w, step);
  for (size_t i = 0; i < both.size(); ++i)  // sums of 48 terms below 2 times positions below 4
    EXPECT_NEAR(get(sum.view(), static_cast<int64_t>(i)), 3 + both[i], 48 * 8 * 48 * 0x1p-53);
}

// What is only read may share memory: heads or tokens of one row, and the same tensor as q and k.
TEST(RotaryGradient, OfWhatSharesMemory) {
  Random random(6);
  for (const Rope& rope : ropes()) {
    SCOPED_TRACE(options_text(rope));
    const Weights w = random_weights(rope.weights(), random);
    Step step(rope, DType::f64, random, DType::i64);
    const Array row = make_array(DType::f64, {1, 1, 1, rope.dim});
    randomize(row.view(), random);
    Tensor wide = step.q.view();
    wide.data = row.view().data, wide.read_only = true;
    wide.stride = {0, 0, 0, 1};
    for (int64_t n = 0; n < wide.elements(); ++n)
      set(step.q.view(), n, get(wide, n)), set(step.k.view(), n, get(wide, n));
    const Weights sum = zero_weights(rope.weights(), DType::f64);
    backward(prepare(rope, {.weights = w.views()}), {wide, wide}, step.dy(), sum.arrays[0].view(),
             step.at.at());
    EXPECT_EQ(numbers(sum.arrays[0].view()), gradient(rope, w, step));
  }
}

TEST(RotaryGradient, SameBitsForAnyNumberOfThreads) {
  Random random(4);
  const Rope rope{.dim = 64, .layout = Layout::half, .frequencies = LearnedFrequencies{3, 2}};
  const Weights w = random_weights(rope.weights(), random);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  const Array x = make_array(DType::f32, {3, 300, 3, 64}), dy = x;
  randomize(x.view(), random), randomize(dy.view(), random);
  for (const int64_t rows : {1, 3}) {
    const TestPlaces at(DType::i64, {2, rows, 300}, random, 0, 99);
    std::vector<Bytes> results;
    for (const int count : {1, 2, 3, 1}) {
      const Threads use(count);
      const Array sum = make_array(DType::f32, {3, 32, 2});
      backward(plan, {.q = x.view()}, {.q = dy.view()}, sum.view(), at.at());
      results.push_back(sum.bytes);
    }
    for (const Bytes& r : results) EXPECT_TRUE(r == results[0]);
  }
}

TEST(RotaryGradient, Mistakes) {
  Random random(5);
  const Rope rope = ropes()[1], fixed{.dim = 10, .layout = Layout::half};
  const Weights w = random_weights(rope.weights(), random);
  const Step step(rope, DType::f32, random, DType::i64);
  const RotaryPlan plan = prepare(rope, {.weights = w.views()});
  const Array sum = make_array(DType::f32, {4, 5, 2}), wide = make_array(DType::f64, {4, 5, 2});
  const auto say = [&](const RotaryPlan& p, const QueriesKeys& dy, const Tensor& to) {
    return message([&] { backward(p, step.x(), dy, to, step.at.at()); });
  };
  EXPECT_EQ(
      say(prepare(fixed), step.dy(), sum.view()),
      "[backward] expected a plan with learned frequencies, phases or coefficients, got none");
  EXPECT_EQ(say(plan, step.dy(), wide.view()),
            "[backward] expected the gradient of a weight as f32 [4, 5, 2] like the input, "
            "got f64 [4, 5, 2]");
  EXPECT_EQ(say(plan, {.q = step.dq.view()}, sum.view()),
            "[backward] expected dy as f32 [2, 6, 4, 10] like the input, got f32 []");
}

}  // namespace
}  // namespace posenc::gradient_test
