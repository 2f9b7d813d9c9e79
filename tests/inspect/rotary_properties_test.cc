// rotary_properties_test.cc: claims about rotary encodings get the verdicts they deserve.
#include "inspect/rotary_properties.h"

#include <gtest/gtest.h>

#include <map>
#include <numbers>

#include "tests/support/message.h"
#include "tests/support/random.h"

namespace posenc::rotary_properties_test {
namespace {

using Verdicts = std::map<std::string, Property>;

Verdicts properties_of(const Rope& rope, int64_t rows = 300, int64_t length = 0) {
  Verdicts out;
  for (const Property& p : check_rotation(rope, {}, rows, length)) out[p.name] = p;
  return out;
}

void expect_verdicts(const Verdicts& found, const std::map<std::string, Verdict>& wanted) {
  for (const auto& [name, verdict] : wanted)
    EXPECT_EQ(found.at(name).verdict, verdict) << name << ": " << found.at(name).evidence;
}

const std::map<std::string, Verdict> all_hold{
    {"score-by-offset", Verdict::holds},    {"norm-kept", Verdict::holds},
    {"adjoint-is-inverse", Verdict::holds}, {"inverse", Verdict::holds},
    {"layouts-agree", Verdict::holds},      {"all-factors-applied", Verdict::holds}};

TEST(RotaryProperties, HoldForPlainRotations) {
  for (const Layout layout : {Layout::half, Layout::interleaved, Layout::interleaved_in_half_out})
    for (const int64_t offset : {0, 10, -40})
      expect_verdicts(properties_of({.dim = 96,
                                     .layout = layout,
                                     .rotary_dim = 40,
                                     .rotary_offset = offset,
                                     .blocks = 2,
                                     .sign = Sign::negative}),
                      all_hold);
  expect_verdicts(properties_of({.dim = 80,
                                 .layout = Layout::half,
                                 .rotary_heads = 3,
                                 .first_head = -3,
                                 .axes = Restart{{20, 20}}}),
                  all_hold);
}

// gpt-oss: m = 1 + 0.1 ln 32, so the adjoint gives m^2 x.
TEST(RotaryProperties, AMagnitudeIsNoInverse) {
  const Rope rope{.dim = 64,
                  .layout = Layout::half,
                  .base = 150000,
                  .scaling = Yarn{.factor = 32, .truncate = false}};
  auto wanted = all_hold;
  wanted["adjoint-is-inverse"] = Verdict::fails;
  const Verdicts found = properties_of(rope);
  expect_verdicts(found, wanted);
  const double m = 1 + 0.1 * std::log(32.0);
  EXPECT_NEAR(found.at("adjoint-is-inverse").measured, m * m - 1, 1e-14);  // two sums of 64 terms
}

TEST(RotaryProperties, XPosKeepsOffsetsButNoLengths) {
  auto wanted = all_hold;
  wanted["norm-kept"] = wanted["adjoint-is-inverse"] = Verdict::fails;
  expect_verdicts(properties_of({.dim = 64, .layout = Layout::interleaved, .decay = XPos{}}, 2000),
                  wanted);
}

TEST(RotaryProperties, ATemperatureBreaksOffsets) {
  const Rope rope{.dim = 32, .layout = Layout::half, .temperature = LogTemperature{}};
  expect_verdicts(properties_of(rope), {{"score-by-offset", Verdict::fails}});
  Rope still = rope;
  still.rotary_dim = 0;
  EXPECT_EQ(check_rotation(still).size(), 3u);
}

TEST(RotaryProperties, AnglesInF32LoseTheOffset) {
  Rope rope{.dim = 64, .layout = Layout::half, .numerics = Numerics::torch_f32};
  expect_verdicts(properties_of(rope), {{"score-by-offset", Verdict::fails}});
  rope.numerics = Numerics::f32_frequencies;
  expect_verdicts(properties_of(rope), {{"score-by-offset", Verdict::holds}});
}

// Pair k of 64 turns once in 2 pi 10000^(k/64) positions: more than 4096 from k = 46 on.
TEST(RotaryProperties, CountsPairsSlowerThanTheText) {
  const Property p = properties_of({.layout = Layout::half}, 16, 4096).at("full-turns");
  EXPECT_EQ(p.verdict, Verdict::fails);
  EXPECT_EQ(p.measured, 64 - 46);
  EXPECT_GT(2 * std::numbers::pi * std::pow(10000.0, 46.0 / 64), 4096);
  EXPECT_LT(2 * std::numbers::pi * std::pow(10000.0, 45.0 / 64), 4096);
  const Rope fast{.dim = 8, .layout = Layout::half, .base = 10};
  EXPECT_EQ(properties_of(fast, 16, 4096).at("full-turns").verdict, Verdict::holds);
}

TEST(RotaryProperties, TellsWhatIsLeftForTheCaller) {
  const Rope deepseek{.dim = 64,
                      .layout = Layout::interleaved_in_half_out,
                      .scaling = Yarn{.factor = 40, .mscale = 1, .mscale_all_dim = 1}};
  const Property p = properties_of(deepseek).at("all-factors-applied");
  EXPECT_EQ(p.verdict, Verdict::fails);
  EXPECT_NEAR(p.measured, std::pow(1 + 0.1 * std::log(40.0), 2), 1e-15);
}

TEST(RotaryProperties, LearnedFrequenciesOfEveryHead) {
  const Rope rope{.dim = 16,
                  .layout = Layout::interleaved,
                  .frequencies = LearnedFrequencies{.heads = 5, .axes = 2}};
  Random random(7);
  std::vector<float> weights(5 * 8 * 2);
  for (float& w : weights) w = static_cast<float>(random.real());
  const Tensor t = tensor(weights.data(), {5, 8, 2});
  Verdicts found;
  for (const Property& p : check_rotation(rope, std::span(&t, 1), 100)) found[p.name] = p;
  expect_verdicts(found, all_hold);
  EXPECT_EQ(found.at("full-turns").verdict, Verdict::not_applicable);
}

TEST(RotaryProperties, MixturesHaveSoManyRows) {
  const Rope rope{
      .dim = 16, .layout = Layout::half, .frequencies = Fourier{.max_position_embeddings = 40}};
  const std::vector<float> ones(8, 1);  // two frequencies remain
  const Tensor t = tensor(ones.data(), {2, 1, 2, 2});
  EXPECT_EQ(check_rotation(rope, std::span(&t, 1), 512).size(), 7u);
}

TEST(RotaryProperties, RefusesFewRowsAndNoLength) {
  EXPECT_THROW(check_rotation({.layout = Layout::half}, {}, 1), Error);
  EXPECT_THROW(check_rotation({.layout = Layout::half, .scaling = DynamicNtk{.factor = 2}}), Error);
  EXPECT_THROW(check_rotation({}), Error);
}

}  // namespace
}  // namespace posenc::rotary_properties_test
