// Length rules: numbers worked out by hand or by others, to the last digit they were printed with.
#include "tests/rotary/worked.h"

namespace posenc::worked_rules_test {
namespace {

// Transformer Engine: / 4 up to 4 x 2048 tokens, / (L / 2048) beyond.
TEST(Worked, DynamicLinear) {
  const DynamicLinear rule{.factor = 4, .pretrained_max_position_embeddings = 2048};
  EXPECT_NEAR(8 * frequencies(half_rope(128, 10000, rule), 8192)[0], 2, 1e-14);
  EXPECT_NEAR(frequencies(half_rope(128, 10000, rule), 16384)[0], 1.0 / 8, 1e-15);
  EXPECT_EQ(prepare(half_rope(128, 10000, rule), {.length = 100}).max_length(), 8192);
  EXPECT_EQ(prepare(half_rope(128, 10000, rule), {.length = 8193}).max_length(), 8193);
}

TEST(Worked, Linear) {
  const auto x = turned(half_rope(2, 10000, Linear{.factor = 4}), {1, 0}, {8});
  expect_numbers(x, {std::cos(2.0), std::sin(2.0)}, 1e-14);
}

// base' from w_1 = base'^(-2/D)
double base_of(const Rope& rope, int64_t length = 0) {
  return std::pow(frequencies(rope, length)[1], -static_cast<double>(rope.dim) / 2);
}

TEST(Worked, NtkBases) {
  EXPECT_NEAR(base_of(half_rope(128, 10000, Ntk{.factor = 4})), 40889.94, 0.005);
  EXPECT_NEAR(base_of(half_rope(128, 10000, Ntk{.factor = 1000})), 11158840, 0.5);
  const DynamicNtk dynamic{.factor = 2, .max_position_embeddings = 4096};
  EXPECT_NEAR(base_of(half_rope(128, 10000, dynamic), 8192), 30527.74, 0.005);
  EXPECT_NEAR(base_of(half_rope(128, 10000, dynamic), 4096), 10000, 1e-6);
}

TEST(Worked, NtkOfVllmSlowsTheFirstPairToo) {
  EXPECT_NEAR(frequencies(half_rope(128, 10000, VllmNtk{.factor = 4}))[0], 0.978572, 5e-7);
  EXPECT_EQ(frequencies(half_rope(128, 10000, Ntk{.factor = 4}))[0], 1);
}

// Where a ramp begins and ends, from two pairs on it: w_k = w0_k (1 - r_k (1 - 1/s)).
std::pair<double, double> ramp(const Rope& rope, size_t one, size_t other) {
  const auto w = frequencies(rope), w0 = frequencies(half_rope(rope.dim, rope.base));
  const double share = 1 - 1 / std::get<Yarn>(rope.scaling).factor;
  const auto r = [&](size_t k) { return (1 - w[k] / w0[k]) / share; };
  const double width = static_cast<double>(other - one) / (r(other) - r(one));
  const double low = static_cast<double>(one) - r(one) * width;
  return {low, low + width};
}

TEST(Worked, YarnOfGptOss) {
  Yarn yarn{.factor = 32, .original_max_position_embeddings = 4096, .truncate = false};
  const Rope smooth = half_rope(64, 150000, yarn);
  yarn.truncate = true;
  const Rope whole = half_rope(64, 150000, yarn);
  const auto [low, high] = ramp(smooth, 9, 17);
  expect_numbers({low, high}, {8.092779, 17.398025});
  const auto [first, last] = ramp(whole, 9, 17);
  expect_numbers({first, last}, {8, 18});
  const auto a = frequencies(smooth), b = frequencies(whole);
  expect_numbers({a[17], b[17]}, {0.000129, 0.000228});
  double gap = 0;
  for (size_t k = 0; k < a.size(); ++k) gap = std::max(gap, b[k] / a[k] - 1);
  EXPECT_NEAR(gap, 0.76, 0.005);
  EXPECT_NEAR(prepare(smooth).cos_sin_factor(), 1.346574, 5e-7);
  EXPECT_EQ(prepare(smooth).softmax_factor(), 1);
}

TEST(Worked, YarnOfDeepSeek) {
  const Yarn yarn{.factor = 40, .mscale = 1, .mscale_all_dim = 1};
  const RotaryPlan plan = prepare(half_rope(64, 10000, yarn));
  EXPECT_NEAR(std::sqrt(plan.softmax_factor()), 1.368888, 5e-7);
  EXPECT_NEAR(plan.softmax_factor(), 1.873854, 5e-7);
  EXPECT_EQ(plan.cos_sin_factor(), 1);
}

// Both weights make the quotient; where one is 0, the magnitude is that of none, 0.1 ln 40 + 1.
TEST(Worked, YarnWithOneWeightOfMagnitudes) {
  for (const Yarn& yarn :
       {Yarn{.factor = 40, .mscale = 0.5, .mscale_all_dim = 0},
        Yarn{.factor = 40, .mscale = 0, .mscale_all_dim = 0.5}, Yarn{.factor = 40, .mscale = 0.5}})
    EXPECT_NEAR(prepare(half_rope(64, 10000, yarn)).cos_sin_factor(), 1.368888, 5e-7);
}

TEST(Worked, YarnWithFourTimesTheLengthIsAnotherModel) {
  const auto qwen = [](int64_t length) {
    return half_rope(128, 1e6, Yarn{.factor = 4, .original_max_position_embeddings = length});
  };
  const auto [low, high] = ramp(qwen(32768), 25, 35);
  expect_numbers({low, high}, {23, 40});
  const auto [first, last] = ramp(qwen(4 * 32768), 32, 42);
  expect_numbers({first, last}, {30, 47});
  const double ratio = frequencies(qwen(4 * 32768))[40] / frequencies(qwen(32768))[40];
  EXPECT_NEAR(ratio, 2.235, 0.0005);
}

TEST(Worked, YarnOfTeleChat) {
  EXPECT_NEAR(prepare(half_rope(128, 10000, Yarn{.factor = 4})).cos_sin_factor(), 1.138629, 5e-7);
  const Yarn telechat{.factor = 4, .log_coefficient = 0.07};
  EXPECT_NEAR(prepare(half_rope(128, 10000, telechat)).cos_sin_factor(), 1.097041, 5e-7);
}

TEST(Worked, LongRopeOfPhi3) {
  const std::vector<double> ones(48, 1.0);
  const LongRope phi{.short_factor = ones,
                     .long_factor = ones,
                     .original_max_position_embeddings = 4096,
                     .factor = 32};
  EXPECT_NEAR(prepare(half_rope(96, 10000, phi), {.length = 131072}).cos_sin_factor(), 1.1902380714,
              5e-11);
}

// A magnitude of one set of factors stands before that of both.
TEST(Worked, LongRopeWithGivenMagnitudes) {
  LongRope rule{.short_factor = {1, 1},
                .long_factor = {1, 2},
                .original_max_position_embeddings = 16,
                .factor = 4,
                .attention_factor = 1.5};
  const auto factor = [&](int64_t length) {
    return prepare(half_rope(4, 10000, rule), {.length = length}).cos_sin_factor();
  };
  EXPECT_EQ(factor(16), 1.5);
  EXPECT_EQ(factor(17), 1.5);
  rule.long_mscale = 1.25;
  EXPECT_EQ(factor(16), 1.5);
  EXPECT_EQ(factor(17), 1.25);
  rule.short_mscale = 1.125;
  EXPECT_EQ(factor(16), 1.125);
}

TEST(Worked, Llama3) {
  const auto before = frequencies(half_rope(128, 5e5));
  const auto after = frequencies(half_rope(128, 5e5, Llama3{}));
  for (size_t k = 0; k < 64; ++k) {
    const double divisor = before[k] / after[k];
    const double least = k <= 28 ? 1 : k <= 34 ? 1.2 : 8, most = k <= 28 ? 1 : k <= 34 ? 5.3 : 8;
    EXPECT_GE(divisor, least * (1 - 1e-15)) << k;
    EXPECT_LE(divisor, most * (1 + 1e-15)) << k;
  }
  expect_numbers({before[29], after[29]}, {2.616099e-3, 2.166571e-3}, 1e-9);
  expect_numbers({before[34], after[34]}, {9.384739e-4, 1.785078e-4}, 1e-10);
  expect_numbers({before[29] / after[29], before[34] / after[34]}, {1.20748, 5.25733}, 1e-5);
}

TEST(Worked, Proportional) {
  const auto w = frequencies(half_rope(512, 1e6, Proportional{}));
  EXPECT_EQ(std::count_if(w.begin(), w.end(), [](double f) { return f > 0; }), 64);
  EXPECT_EQ(std::count(w.begin() + 64, w.end(), 0.0), 256 - 64);
  EXPECT_NEAR(w[1], 0.947464, 5e-7);
  Rope part = half_rope(512, 1e6);
  part.rotary_dim = 128;
  EXPECT_NEAR(frequencies(part)[1], 0.805842, 5e-7);
}

}  // namespace
}  // namespace posenc::worked_rules_test
