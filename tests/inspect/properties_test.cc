// properties_test.cc: claims about encodings get the verdicts they deserve.
#include "inspect/properties.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "tests/support/message.h"

namespace posenc::properties_test {
namespace {

std::map<std::string, Property> properties_of(const Scheme& scheme,
                                              std::span<const Tensor> weights = {},
                                              int64_t rows = 256) {
  std::map<std::string, Property> out;
  for (const Property& p : check_properties(*as_family<Absolute>(scheme), weights, rows))
    out[p.name] = p;
  return out;
}

TEST(Properties, AllHoldForPairsOfOneFrequency) {
  for (const char* preset : {"paper", "tensor2tensor", "marian", "musicgen", "mlx"})
    for (const char* dim : {"8", "64", "96"}) {
      const auto scheme = make_scheme("sinusoidal", {{"preset", preset}, {"dim", dim}});
      for (const auto& [name, p] : properties_of(scheme))
        EXPECT_EQ(p.verdict, Verdict::holds)
            << preset << " " << dim << " " << name << ": " << p.evidence;
    }
}

TEST(Properties, WavelengthsAreTheFormulas) {
  const auto p = properties_of(Sinusoidal{.dim = 64}).at("fastest-first");
  EXPECT_NEAR(p.measured, 2 * std::numbers::pi, 1e-14);
  EXPECT_NEAR(p.bound, 2 * std::numbers::pi * std::pow(10000.0, 62.0 / 64), 1e-8);
}

TEST(Properties, TwoFrequenciesInAPairBreakThem) {
  for (const char* preset : {"per-column", "raw-index"}) {
    const auto p = properties_of(make_scheme("sinusoidal", {{"preset", preset}, {"dim", "64"}}));
    for (const char* name : {"product-by-offset", "shift-matrix", "constant-norm"})
      EXPECT_EQ(p.at(name).verdict, Verdict::fails) << preset << " " << name;
    for (const char* name : {"unique-rows", "bounded-values", "periodic-pairs"})
      EXPECT_EQ(p.at(name).verdict, Verdict::holds) << preset << " " << name;
  }
}

TEST(Properties, AFrequencyOfOneTurnRepeatsRows) {
  const Sinusoidal s{.dim = 2, .rule = ExplicitRule{{0.25}, Unit::turns}};
  const auto p = properties_of(s);
  EXPECT_EQ(p.at("unique-rows").verdict, Verdict::fails);
  EXPECT_EQ(p.at("aperiodic-rows").verdict, Verdict::fails);
  EXPECT_EQ(p.at("offset-readable").verdict, Verdict::fails);
}

TEST(Properties, ALearnedTableMayRepeatARow) {
  const Learned s{.dim = 3, .rows = 8};
  std::vector<float> table(24);
  for (size_t i = 0; i < table.size(); ++i) table[i] = static_cast<float>(i * i % 17);
  const Tensor weights[] = {tensor(table.data(), {8, 3})};
  EXPECT_EQ(properties_of(s, weights, 8).at("unique-rows").verdict, Verdict::holds);
  std::copy_n(table.begin(), 3, table.begin() + 15);
  const auto p = properties_of(s, weights, 8);
  EXPECT_EQ(p.at("unique-rows").verdict, Verdict::fails);
  EXPECT_NE(p.at("unique-rows").evidence.find("0 and 5"), std::string::npos);
  EXPECT_EQ(p.at("shift-matrix").verdict, Verdict::not_applicable);
}

TEST(Properties, TiesGoToTheFirstRows) {  // PE(p) and PE(p + 1) are as far apart at every p
  for (const int64_t dim : {32, 64, 96}) {
    const auto p = properties_of(Sinusoidal{.dim = dim});
    EXPECT_NE(p.at("unique-rows").evidence.find(" 0 and 1:"), std::string::npos);
    EXPECT_NE(p.at("product-by-offset").evidence.find("at every offset"), std::string::npos);
  }
}

TEST(Properties, WhereNoMatrixMovesRowsTheReasonIsGivenWhole) {
  const auto scheme = make_scheme("sinusoidal", {{"rule", "per-column"}, {"dim", "8"}});
  const auto p = properties_of(scheme).at("shift-matrix");
  EXPECT_EQ(p.verdict, Verdict::fails);
  EXPECT_TRUE(p.evidence.starts_with("expected pairs of one frequency, got rule per-column: "))
      << p.evidence;
}

TEST(Properties, LinesAreNotBounded) {
  EXPECT_EQ(properties_of(Nerf{}).at("bounded-values").verdict, Verdict::fails);
}

TEST(Properties, RowsWithinReason) {
  EXPECT_THROW(check_properties(Sinusoidal{}, {}, 1), Error);
  EXPECT_THROW(check_properties(Sinusoidal{}, {}, 5000), Error);
}

TEST(Properties, EverySchemeIsCheckedByTheClaimsOfItsFamily) {
  const auto first = [](const Scheme& scheme, int64_t length = 0) {
    return model::check(scheme, {.tokens = 64, .length = length}).at(0).name;
  };
  EXPECT_EQ(first(Sinusoidal{.dim = 8}), "unique-rows");
  EXPECT_EQ(first(Rope{.dim = 8, .layout = Layout::half}), "score-by-offset");
  EXPECT_EQ(first(Alibi{.heads = 2}), "by-distance");
  const Rope long_text{.dim = 8, .layout = Layout::half, .scaling = DynamicNtk{.factor = 2}};
  EXPECT_EQ(first(long_text, 4096), "score-by-offset");
  EXPECT_EQ(first(long_text), "score-by-offset");  // a text of as many tokens as are tested
  expect_message([&] { first(Shaw{}); },
                 "expected an absolute or rotary scheme or a bias, got shaw");
}

}  // namespace
}  // namespace posenc::properties_test
