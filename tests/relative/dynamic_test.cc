// dynamic_test.cc: the network of the distance, written out.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc {
namespace {

double silu(double z) { return z / (1 + std::exp(-z)); }

// weights: weight_0 [hidden, 1], bias_0, weight_1 [hidden, hidden], bias_1, ..., as numbers.
double plain(const std::vector<std::vector<double>>& w, double x, size_t head) {
  std::vector<double> in{x};
  for (size_t l = 0; l < w.size(); l += 2) {
    std::vector<double> out = w[l + 1];
    for (size_t o = 0; o < out.size(); ++o) {
      for (size_t i = 0; i < in.size(); ++i) out[o] += w[l][o * in.size() + i] * in[i];
      if (l + 2 < w.size()) out[o] = silu(out[o]);
    }
    in = out;
  }
  return in[head];
}

TEST(DynamicBias, IsTheNetwork) {
  Random random(1);
  for (const int64_t depth : {1, 2, 4})
    for (const bool log : {false, true}) {
      const DynamicBias s{.heads = 3, .hidden = 6, .depth = depth, .log_distance = log};
      const PreparedBias p = prepare_random(s, random);
      std::vector<std::vector<double>> w;
      for (const Array& a : p.weights.arrays) w.push_back(numbers(a.view()));
      ASSERT_EQ(std::ssize(w), 2 * depth + 2);
      for (const double r : {0.0, 1.0, -1.0, 2.5, -30.0, 400.0}) {
        const double x = log ? (r < 0 ? -std::log(1 - r) : std::log(1 + r)) : r;
        for (size_t h = 0; h < 3; ++h) {
          const double truth = plain(w, x, h);
          // Sums of up to 7 terms in each of up to 5 layers, of numbers within 8 |x| + 8.
          EXPECT_NEAR(bias(p.plan, static_cast<int64_t>(h), r, 0), truth,
                      5 * 16 * 0x1p-53 * (8 * std::abs(x) + 8));
        }
      }
    }
}

TEST(DynamicBias, WeightsByName) {
  const auto w = DynamicBias{.heads = 3, .hidden = 6}.weights();
  const std::pair<std::string, std::vector<int64_t>> wanted[] = {
      {"weight_0", {6, 1}}, {"bias_0", {6}},      {"weight_1", {6, 6}},
      {"bias_1", {6}},      {"weight_2", {3, 6}}, {"bias_2", {3}}};
  ASSERT_EQ(w.size(), std::size(wanted));
  for (size_t i = 0; i < w.size(); ++i) {
    EXPECT_EQ(w[i].name, wanted[i].first);
    EXPECT_EQ(w[i].shape, wanted[i].second);
  }
}

TEST(DynamicBias, Sentences) {
  expect_message([] { DynamicBias{.depth = 0}.check(); },
                 "[dynamic] expected depth from 1 to 64, got 0");
  expect_message([] { DynamicBias{.hidden = 0}.check(); }, "[dynamic] expected hidden from 1");
}

}  // namespace
}  // namespace posenc
