// dynamic_test.cc: the network of the distance, written out.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::dynamic_test {
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

// PyTorch's LayerNorm of one row.
std::vector<double> normed(std::vector<double> z, const std::vector<double>& gain,
                           const std::vector<double>& shift) {
  const auto n = static_cast<double>(z.size());
  double mean = 0, variance = 0;
  for (const double x : z) mean += x;
  mean /= n;
  for (const double x : z) variance += (x - mean) * (x - mean);
  for (size_t i = 0; i < z.size(); ++i)
    z[i] = (z[i] - mean) / std::sqrt(variance / n + 1e-5) * gain[i] + shift[i];
  return z;
}

// weight, bias, gain and shift of each hidden layer, weight and bias of the last. Numbers within
// 2^4, since norms hold them there, of a few sums of 6 in each of 3 layers; a norm of sums that are
// nearly alike, apart by 2^-5 or more in all of these, makes errors 2^5 times as large.
TEST(DynamicBias, NormsBeforeSilu) {
  Random random(2);
  const DynamicBias s{.heads = 3, .hidden = 6, .log_distance = true, .layer_norm = true};
  const PreparedBias p = prepare_random(s, random);
  std::vector<std::vector<double>> w;
  for (const Array& a : p.weights.arrays) w.push_back(numbers(a.view()));
  ASSERT_EQ(w.size(), 10U);
  for (const double r : {0.0, 1.0, -2.5, 400.0}) {
    std::vector<double> in{std::copysign(std::log1p(std::abs(r)), r)};
    for (size_t l = 0; l < 8; l += 4) {
      std::vector<double> z = w[l + 1];
      for (size_t o = 0; o < 6; ++o)
        for (size_t i = 0; i < in.size(); ++i) z[o] += w[l][o * in.size() + i] * in[i];
      in = normed(z, w[l + 2], w[l + 3]);
      for (double& y : in) y = silu(y);
    }
    for (size_t h = 0; h < 3; ++h) {
      double truth = w[9][h];
      for (size_t i = 0; i < 6; ++i) truth += w[8][h * 6 + i] * in[i];
      EXPECT_NEAR(bias(p.plan, static_cast<int64_t>(h), r, 0), truth, 3 * 32 * 0x1p-53 * 16 * 32);
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
}  // namespace posenc::dynamic_test
