// fire_test.cc: FIRE against numbers and the formula.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::fire_test {
namespace {

// A network that passes u on: one hidden unit, every weight 1, no bias.
BiasPlan ratio(double c, double mu, double length = 512) {
  const double one = 1, zero = 0;
  const Tensor w[] = {tensor(&c, {1}),    tensor(&mu, {1}),     tensor(&one, {1, 1}),
                      tensor(&zero, {1}), tensor(&one, {1, 1}), tensor(&zero, {1})};
  return prepare(Fire{.heads = 1, .hidden = 1, .length = length}, {.weights = w});
}

TEST(Fire, WorkedNumbers) {  // six digits after the point
  EXPECT_NEAR(bias(ratio(.1, 1), 0, 10, 3), .134164, 5e-7);
  EXPECT_NEAR(bias(ratio(.1, 1), 0, 1000, 3), .999355, 5e-7);
}

TEST(Fire, IsTheFormula) {
  Random random(1);
  const Fire s{.heads = 4, .hidden = 9, .length = 20};
  const PreparedBias p = prepare_random(s, random);
  std::vector<std::vector<double>> w;
  for (const Array& a : p.weights.arrays) w.push_back(numbers(a.view()));
  const double c = w[0][0], mu = w[1][0];
  const auto f = [&](double x) { return std::log(std::abs(c * x) + 1); };
  for (const double query : {0.0, 3.0, 12.5, 60.0, 5000.0, -4.0})
    for (const double key : {0.0, 2.0, 59.5, 4999.0, 7000.0})
      for (size_t h = 0; h < 4; ++h) {
        const double u = f(query - key) / (f(std::max(query, std::abs(mu * 20))) + 1e-6);
        double truth = w[5][h];
        for (size_t i = 0; i < 9; ++i)
          truth += w[4][h * 9 + i] * std::max(w[2][i] * u + w[3][i], 0.0);
        // u within a few roundings of itself; then sums of ten terms within |u| + 2 each.
        EXPECT_NEAR(bias(p.plan, static_cast<int64_t>(h), query, key), truth,
                    64 * 0x1p-53 * (10 * std::abs(u) + 20));
      }
}

TEST(Fire, SignsOfItsNumbersDoNotMatter) {
  for (const double query : {5.0, 700.0})
    EXPECT_EQ(bias(ratio(.1, 1), 0, query, 2), bias(ratio(-.1, -1), 0, query, 2));
  EXPECT_EQ(bias(ratio(.1, 1), 0, 10, 3), bias(ratio(.1, 1), 0, 10, 17));
}

TEST(Fire, WeightsByName) {
  const auto w = Fire{.heads = 4, .hidden = 9}.weights();
  const std::pair<std::string, std::vector<int64_t>> wanted[] = {
      {"c", {1}},      {"mu", {1}},          {"weight_0", {9, 1}},
      {"bias_0", {9}}, {"weight_1", {4, 9}}, {"bias_1", {4}}};
  ASSERT_EQ(w.size(), std::size(wanted));
  for (size_t i = 0; i < w.size(); ++i) {
    EXPECT_EQ(w[i].name, wanted[i].first);
    EXPECT_EQ(w[i].shape, wanted[i].second);
  }
  EXPECT_EQ(w[0].mean, .1);
  EXPECT_EQ(w[1].mean, 1);
}

TEST(Fire, Sentences) {
  expect_message([] { Fire{.length = 0}.check(); }, "[fire] expected length");
  expect_message([] { Fire{.eps = 0}.check(); }, "[fire] expected eps");
  expect_message([] { Fire{.hidden = 0}.check(); }, "[fire] expected hidden from 1");
}

}  // namespace
}  // namespace posenc::fire_test
