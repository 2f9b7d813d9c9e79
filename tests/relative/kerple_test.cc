// kerple_test.cc: the kernels of the distance, against numbers and the formula.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::kerple_test {
namespace {

// A plan whose weights are these, one number for one head.
BiasPlan plan_of(const Kerple& scheme, const std::vector<double>& numbers) {
  std::vector<Tensor> weights;
  for (const double& n : numbers) weights.push_back(tensor(&n, {1}));
  return prepare(scheme, {.weights = weights});
}
constexpr Kerple log_form{.heads = 1};
constexpr Kerple power_form{.heads = 1, .form = KerpleForm::power};
constexpr Kerple nemo{.heads = 1, .form = KerpleForm::log_power, .clamp = false};

TEST(Kerple, WorkedNumbers) {  // six digits after the point
  EXPECT_NEAR(bias(plan_of(log_form, {1, .5}), 0, 3, 0), -.916291, 5e-7);
  EXPECT_NEAR(bias(plan_of(power_form, {.5, 1.5}), 0, 0, 3), -2.598076, 5e-7);
}

TEST(Kerple, Formulas) {
  const double b = 0.7, a = 0.3, p = 1.4;
  for (const double r : {0.0, 1.0, 2.5, 40.0, 1e6}) {
    // Each side: a power of a number below 2^20, a product, a logarithm: 64 roundings at most.
    const auto near = [&](double found, double truth) {
      EXPECT_NEAR(found, truth, 64 * 0x1p-53 * std::abs(truth)) << r;
    };
    near(bias(plan_of(log_form, {p, a}), 0, r, 0), -p * std::log(1 + a * r));
    near(bias(plan_of(log_form, {p, a}), 0, 0, r), -p * std::log(1 + a * r));
    near(bias(plan_of(power_form, {a, p}), 0, 5, 5 + r), -a * std::pow(r, p));
    near(bias(plan_of(nemo, {b, a, p}), 0, r, 0), -b * std::log(1 + a * std::pow(r, p)));
  }
}

TEST(Kerple, NemoWithPowerOneIsTheLogarithm) {
  for (const double r : {0.0, 1.0, 17.0})
    EXPECT_EQ(bias(plan_of(nemo, {.6, .2, 1}), 0, r, 0),
              bias(plan_of(log_form, {.6, .2}), 0, r, 0));
}

TEST(Kerple, ReadsWeightsClamped) {
  const auto at = [](const Kerple& s, std::vector<double> w) {
    return bias(plan_of(s, w), 0, 9, 0);
  };
  EXPECT_EQ(at(log_form, {-3, 0}), at(log_form, {.01, .01}));
  EXPECT_EQ(at(power_form, {-1, 7}), at(power_form, {.01, 2}));
  EXPECT_EQ(at(power_form, {100, -1}), at(power_form, {100, .01}));
  EXPECT_NE(at(log_form, {7, 1}), at(log_form, {2, 1}));  // no upper end but the power's
  Kerple open = log_form;
  open.clamp = false;
  EXPECT_EQ(at(open, {-3, 0.5}), 3 * std::log1p(4.5));
}

// The number read is the weight after clamping, so its gradient is that at the number read.
TEST(Kerple, GradientAtTheNumberRead) {
  const double g = 1;
  const auto gradient = [&](double a, double p) {
    std::vector<double> dw(2);
    const Tensor sums[] = {tensor(&dw[0], {1}), tensor(&dw[1], {1})};
    backward(plan_of(power_form, {a, p}), tensor(&g, {1, 1, 1}), sums, {.queries = range(9)});
    return dw;
  };
  EXPECT_EQ(gradient(-1, 7), gradient(.01, 2));
  EXPECT_NEAR(gradient(-1, 7)[0], -81, 1e-12);  // 9^2 within a few roundings of 2^-47
}

TEST(Kerple, Sentences) {
  Kerple open = power_form;
  open.clamp = false;
  expect_message([&] { plan_of(open, {-1, 1}); }, "[kerple] expected a of at least 0, got -1");
  expect_message([&] { plan_of(open, {1, -.5}); }, "[kerple] expected p of at least 0, got -0.5");
  expect_message([&] { plan_of(open, {NAN, 1}); }, "[kerple] expected a of at least 0, got nan");
  expect_message([&] { plan_of(log_form, {1}); }, "[kerple] expected 2 weights");
}

}  // namespace
}  // namespace posenc::kerple_test
