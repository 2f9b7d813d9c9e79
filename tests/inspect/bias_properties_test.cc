// bias_properties_test.cc: verdicts on biases whose properties are known from their formulas.
#include "inspect/bias_properties.h"

#include <gtest/gtest.h>

#include "model/array.h"
#include "tests/support/gradient.h"

namespace posenc::bias_properties_test {
namespace {

// The first letters of the verdicts: by-distance, attention-by-distance, recency, one-line, cache.
std::string verdicts(const Bias& scheme, int64_t rows = 100) {
  Random random(1);
  const auto wanted = std::visit([](const auto& s) { return s.weights(); }, scheme);
  const Weights weights = random_weights(wanted, random);
  std::string out;
  for (const Property& p : check_biases(scheme, weights.views(), rows)) {
    EXPECT_FALSE(p.name.empty() || p.claim.empty() || p.evidence.empty());
    out += enum_name(p.verdict)[0];
  }
  return out;
}

TEST(BiasProperties, TellSchemesApart) {
  EXPECT_EQ(verdicts(Alibi{.heads = 12}), "hhhhh");
  EXPECT_EQ(verdicts(Alibi{.heads = 12, .form = AlibiForm::keys}), "fhhhh");
  EXPECT_EQ(verdicts(Kerple{}), "hhhhh");
  EXPECT_EQ(verdicts(T5Bias{}), "hhfhh");
  EXPECT_EQ(verdicts(Clipped{.max_distance = 9}), "hhfhh");
  EXPECT_EQ(verdicts(WindowBias{}), "fffnh");
  EXPECT_EQ(verdicts(ContinuousBias{.height = 3, .width = 5, .hidden = 8}), "fffnh");
  EXPECT_EQ(verdicts(Fire{.length = 10}).substr(0, 2), "ff");
}

TEST(BiasProperties, TakeAnyNumberOfRows) {
  EXPECT_EQ(verdicts(Alibi{}, 2), "hhhhh");
  EXPECT_EQ(verdicts(Alibi{}, 4096), "hhhhh");
  EXPECT_THROW(check_biases(Alibi{}, {}, 1), Error);
}

}  // namespace
}  // namespace posenc::bias_properties_test
