// forms_test.cc: forms as kernels use them: over a copy of their numbers, and a network's units one
// by one.
#include <gtest/gtest.h>

#include "tests/relative/cases.h"

namespace posenc::forms_test {
namespace {

std::vector<double> biases_from(const BiasFormula& formula, const double* block) {
  std::vector<double> out;
  formula.visit(block, [&](const auto& form) {
    static_assert(std::is_trivially_copyable_v<std::decay_t<decltype(form)>>);
    std::vector<double> work(static_cast<size_t>(workspace_of(form)));
    const double query[4] = {}, key[4] = {7, 7, 7, 7};
    const auto inputs = forms::inputs_of_points(form, query, key, work.data());
    for (int64_t h = 0; h < case_heads; ++h) out.push_back(form.bias(h, inputs));
  });
  return out;
}

TEST(Forms, ReadACopyOfTheBlock) {
  Random random(1);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    BiasFormula formula = p.plan.parts().formula;
    const auto copy = formula.block, truth = biases_from(formula, formula.block.data());
    std::fill(formula.block.begin(), formula.block.end(), NAN);
    EXPECT_EQ(biases_from(formula, copy.data()), truth) << p.text();
  }
}

// The gradients of weights are those of the first numbers of the block.
TEST(Forms, BlocksBeginWithTheWeights) {
  Random random(2);
  for (const Bias& scheme : every_bias()) {
    const PreparedBias p = prepare_random(scheme, random);
    int64_t count = 0;
    for (const Weight& w : weights(scheme))
      count += tensor(nullptr, DType::f64, w.shape).elements();
    const BiasFormula& formula = p.plan.parts().formula;
    ASSERT_GE(std::ssize(formula.block), count);
    formula.visit(formula.block.data(), [&](const auto& form) {
      std::vector<double> work(static_cast<size_t>(workspace_of(form)));
      const double g[case_heads] = {1, 2, 3, 4, 5, 6};
      const auto add = [&](int64_t n, double) { EXPECT_TRUE(0 <= n && n < count) << p.text(); };
      const double query[4] = {}, key[4] = {3, 3, 3, 3};
      const auto inputs = forms::inputs_of_points(form, query, key, work.data());
      if (count > 0) form.backward({0, case_heads}, inputs, g, add);
    });
  }
}

void expect_unit_by_unit(const forms::DeepNetwork& n) {
  Random random(3);
  const int64_t order[] = {3, 0, 4, 1, 2};
  std::vector<double> block(static_cast<size_t>(n.layer(3).bias + 4));
  for (double& v : block) v = random.real();
  const double x = 0.7, g[2] = {0.3, -2};
  std::vector<double> whole(static_cast<size_t>(n.workspace())), units = whole;
  n.forward(block.data(), &x, whole.data());
  for (int64_t l = 0; l < 3; ++l) {
    for (const int64_t unit : order) n.run(block.data(), l, unit, 1, &x, units.data());
    for (const int64_t unit : order) n.activate(block.data(), l, unit, 1, units.data());
  }
  n.backward(block.data(), {1, 2}, &x, g, whole.data(), [](int64_t, double) {});
  for (int64_t l = 2; l >= 0; --l) {
    for (const int64_t unit : order)
      n.backward_to(block.data(), l, unit, 1, {1, 2}, g, units.data());
    for (const int64_t unit : order) n.backward_norm(block.data(), l, unit, 1, units.data());
  }
  EXPECT_EQ(units, whole);
}

TEST(DeepNetwork, UnitByUnit) {
  for (const bool norm : {false, true})
    expect_unit_by_unit({.inputs = 1, .hidden = 5, .depth = 3, .heads = 4, .norm = norm});
}

}  // namespace
}  // namespace posenc::forms_test
