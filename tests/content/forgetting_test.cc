// forgetting_test.cc: decay by forget gates.
#include <gtest/gtest.h>

#include "model/array.h"
#include "posenc/content.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::forgetting_test {
namespace {

constexpr int64_t rows = 2, heads = 3, queries = 11, keys = 17;

struct Stand {
  Guarded gates, scores, out;
  Stand(DType dtype, Random& random, Placement placement = Placement::dense)
      : gates(dtype, {rows, keys, heads}, placement),
        scores(dtype, {rows, heads, queries, keys}, placement),
        out(dtype, {rows, heads, queries, keys}, placement) {
    randomize(gates.view(), random, -1, 0), randomize(scores.view(), random);
  }
  void add(const Forgetting& s, const ScoreOptions& o) const {
    posenc::add(prepare(s), {.gates = gates.view()}, scores.view(), out.view(), o);
    EXPECT_TRUE(out.intact());
  }
  double gate(int64_t row, int64_t key, int64_t head) const {
    return get(gates.view(), (row * keys + key) * heads + head);
  }
};

TEST(Forgetting, WorkedNumbers) {
  const double gates[] = {-0.1, -0.2, -0.3};
  const double before[] = {0, 0, 0, -0.2, 0, 0, -0.5, -0.3, 0};
  const double after[] = {0, -0.2, -0.5, 0, 0, -0.3, 0, 0, 0};
  for (const ForgetSide side : {ForgetSide::before, ForgetSide::after}) {
    double out[9] = {};
    const Tensor scores = tensor(out, {1, 3, 3});
    add(prepare(Forgetting{.side = side}), {.gates = tensor(gates, {3, 1})}, scores, scores);
    for (size_t n = 0; n < 9; ++n)
      EXPECT_NEAR(out[n], (side == ForgetSide::before ? before : after)[n], 0x1p-53);
  }
}

// The term is summed in double and rounded to the compute type, the sum with the score is too, and
// then to the type: u |term| + u |sum| + half an ulp; double sums of 17 gates are off by 17 ulps.
void expect_formula(const Stand& t, const Forgetting& s, const ScoreOptions& o, int64_t past) {
  t.add(s, o);
  const DType dtype = t.out.view().dtype;
  const double u = dtype == DType::f64 ? 0 : 0x1p-24;
  for (int64_t n = 0; n < rows * heads * queries * keys; ++n) {
    const int64_t j = n % keys, i = n / keys % queries + past, head = n / keys / queries % heads;
    const int64_t row = n / keys / queries / heads;
    if (o.causal && j > i) continue;
    double term = 0;
    const bool reached = s.side == ForgetSide::before ? j <= i : j > i;
    for (int64_t k = std::min(i, j) + 1; reached && k <= std::max(i, j); ++k) {
      const double x = t.gate(row, k, head);
      term += s.gate_scale * (s.gates == ForgetGates::log ? x : -std::log1p(std::exp(-x)));
    }
    const double truth = get(t.scores.view(), n) + term, size = std::abs(truth) + std::abs(term);
    const double off = u * size + 4 * 17 * 0x1p-53 * (size + 17);
    ASSERT_NEAR(get(t.out.view(), n), truth, off + half_ulp(dtype, std::abs(truth) + off));
  }
}

TEST(Forgetting, IsItsFormula) {
  Random random(81);
  for (const DType dtype : float_types)
    for (const Placement placement : all_placements)
      for (const ForgetGates gates : {ForgetGates::log, ForgetGates::logits}) {
        const Stand t(dtype, random, placement);
        expect_formula(t, {.gates = gates}, {.queries = range(6), .causal = true}, 6);
        expect_formula(t, {.gates = gates, .gate_scale = 0.5}, {.queries = range(2)}, 2);
        expect_formula(t, {.side = ForgetSide::after, .gates = gates}, {.queries = range(2)}, 2);
      }
}

// Far along a text the gate between two neighbours is still that gate: f32 sums would have lost it.
TEST(Forgetting, LongTextsLoseNothing) {
  constexpr int64_t length = 100'000;
  Random random(82);
  std::vector<float> gates(length), out(length);
  for (float& g : gates) g = static_cast<float>(random.real(-1, 0));
  const Tensor scores = tensor(out.data(), {1, 1, length});
  add(prepare(Forgetting{}), {.gates = tensor(gates.data(), {length, 1})}, scores, scores,
      {.queries = range(length - 1), .causal = true});
  // Double sums near 5e4 are within 2^-38 of each other's rounding.
  EXPECT_NEAR(out[length - 2], gates[length - 1], 0x1p-36);
  EXPECT_EQ(out[length - 1], 0);
}

// Against a central difference of step h = 1e-4. The loss is linear in log gates; by logits each of
// 1122 scores has up to 16 gates whose third derivative is below 0.1, times 0.8 (0.7): below 1010
// in all, which h^2 / 6 makes 1.7e-6. Rounding a loss below 1e4 adds 2^-53 1e4 / h < 2e-8.
TEST(Forgetting, GradientIsThatOfTheForward) {
  Random random(83);
  for (const ForgetGates kind : {ForgetGates::log, ForgetGates::logits})
    for (const ForgetSide side : {ForgetSide::before, ForgetSide::after}) {
      const Forgetting s{.side = side, .gates = kind, .gate_scale = 0.8};
      const Stand t(DType::f64, random);
      const ScoreOptions o{.queries = range(3), .scale = 0.7, .scale_on = ScaleOn::sum};
      const Array dout = make_array(DType::f64, {rows, heads, queries, keys});
      randomize(dout.view(), random);
      const Array dgates = make_array(DType::f64, {rows, keys, heads});
      const Array dscores = make_array(DType::f64, {rows, heads, queries, keys});
      backward(prepare(s), {.gates = t.gates.view()}, t.scores.view(), dout.view(),
               {.dgates = dgates.view(), .dscores = dscores.view()}, {}, o);
      const auto start = numbers(t.gates.view());
      std::vector<double> v;
      double product = 0;
      for (size_t n = 0; n < start.size(); ++n) {
        v.push_back(random.real());
        product += v[n] * get(dgates.view(), static_cast<int64_t>(n));
      }
      const auto loss = [&](double h) {
        for (size_t n = 0; n < start.size(); ++n)
          set(t.gates.view(), static_cast<int64_t>(n), start[n] + h * v[n]);
        t.add(s, o);
        double sum = 0;
        for (int64_t n = 0; n < t.out.view().elements(); ++n)
          sum += get(dout.view(), n) * get(t.out.view(), n);
        return sum;
      };
      const double h = 1e-4;
      EXPECT_NEAR(product, (loss(h) - loss(-h)) / (2 * h), 1.8e-6);
      for (int64_t n = 0; n < dout.view().elements(); ++n)
        EXPECT_DOUBLE_EQ(get(dscores.view(), n), 0.7 * get(dout.view(), n));
    }
}

TEST(Forgetting, OptionsAreChecked) {
  EXPECT_THROW((Forgetting{.gate_scale = NAN}).check(), Error);
  for (const auto& preset : Forgetting::presets()) EXPECT_NO_THROW(preset.value.check());
  float out[9] = {};
  const Tensor scores = tensor(out, {1, 3, 3});
  expect_message([&] { add(prepare(Forgetting{}), {}, scores, scores); }, "[add] expected gates");
}

}  // namespace
}  // namespace posenc::forgetting_test
