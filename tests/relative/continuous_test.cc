// continuous_test.cc: the network of the offset in a window.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::continuous_test {
namespace {

TEST(ContinuousInputs, WorkedNumbers) {  // six digits after the point
  const ContinuousBias v2{}, cr{.form = ContinuousForm::plain};
  const double eight[] = {0, .366512, .572069, .715614, .826016, .915745, .991335, 1.056642};
  for (int64_t d = 0; d < 8; ++d) {
    EXPECT_NEAR(v2.input(d, 8), eight[d], 5e-7);
    EXPECT_EQ(v2.input(-d, 8), -v2.input(d, 8));
  }
  EXPECT_NEAR(v2.input(15, 8), 1.393777, 5e-7);  // window 16, trained with 8
  EXPECT_NEAR(cr.input(7, 8), 2.079442, 5e-7);
  EXPECT_NEAR(cr.input(-7, 8), -2.079442, 5e-7);
  EXPECT_EQ(v2.input(0, 1), 0);  // a window one token wide
}

using Numbers = std::vector<double>;

// The formula, offset by offset. w: weight_0 [hidden, 2], bias_0, weight_1 [heads, hidden], bias_1.
double plain(const ContinuousBias& s, const std::vector<Numbers>& w, size_t head, int64_t q,
             int64_t k) {
  const bool v2 = s.form == ContinuousForm::swin_v2;
  const auto x = [&](int64_t d, int64_t side) {
    const double t = static_cast<double>(d), sign = d < 0 ? -1 : 1;
    if (d == 0) return 0.0;
    return v2 ? sign * std::log2(1 + 8 * std::abs(t) / static_cast<double>(side - 1)) / std::log2(8)
              : sign * std::log(1 + std::abs(t));
  };
  const double y = x(q / s.width - k / s.width, s.pretrained_height.value_or(s.height));
  const double z = x(q % s.width - k % s.width, s.pretrained_width.value_or(s.width));
  double sum = v2 ? 0 : w[3][head];
  const size_t hidden = w[1].size();
  for (size_t i = 0; i < hidden; ++i)
    sum += w[2][head * hidden + i] * std::max(w[0][2 * i] * y + w[0][2 * i + 1] * z + w[1][i], 0.0);
  return v2 ? 16 / (1 + std::exp(-sum)) : sum;
}

TEST(ContinuousBias, IsTheFormula) {
  Random random(1);
  using S = ContinuousBias;
  for (const S& s :
       {S{.heads = 2, .height = 3, .width = 5, .hidden = 11},
        S{.heads = 2,
        .height = 5,
        .width = 3,
        .pretrained_height = 2,
        .pretrained_width = 9,
        .hidden = 11},
        S{.heads = 2, .height = 1, .width = 4, .hidden = 11},
        S{.heads = 2, .height = 4, .width = 3, .hidden = 11, .form = ContinuousForm::plain}}) {
    const PreparedBias p = prepare_random(s, random);
    std::vector<Numbers> w;
    for (const Array& a : p.weights.arrays) w.push_back(numbers(a.view()));
    const int64_t tokens = s.height * s.width;
    for (int64_t q = 0; q < tokens; ++q)
      for (int64_t k = 0; k < tokens; ++k)
        for (size_t h = 0; h < 2; ++h)
          // Sums of 11 terms below 4 in size, each of a few roundings, times a slope up to 4.
          ASSERT_NEAR(
              bias(p.plan, static_cast<int64_t>(h), static_cast<double>(q), static_cast<double>(k)),
              plain(s, w, h, q, k), 4 * 11 * 4 * 16 * 0x1p-53);
  }
}

TEST(ContinuousBias, WeightsByName) {
  const auto v2 = ContinuousBias{.heads = 3, .hidden = 6}.weights();
  const auto cr = ContinuousBias{.heads = 3, .hidden = 6, .form = ContinuousForm::plain}.weights();
  const std::pair<std::string, std::vector<int64_t>> wanted[] = {
      {"weight_0", {6, 2}}, {"bias_0", {6}}, {"weight_1", {3, 6}}, {"bias_1", {3}}};
  ASSERT_EQ(v2.size(), 3u);  // the last layer has no bias
  ASSERT_EQ(cr.size(), 4u);
  for (size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(cr[i].name, wanted[i].first);
    EXPECT_EQ(cr[i].shape, wanted[i].second);
    if (i == 3) break;
    EXPECT_EQ(v2[i].shape, wanted[i].second);
  }
}

TEST(ContinuousBias, Sentences) {
  expect_message([] { ContinuousBias{.height = -1}.check(); },
                 "[continuous] expected height and width from 1 to 1024, got -1 and 8");
  expect_message(
      [] { ContinuousBias{.pretrained_width = 1}.check(); },
      "[continuous] expected pretrained_height and pretrained_width of at least 2, got 1");
}

}  // namespace
}  // namespace posenc::continuous_test
