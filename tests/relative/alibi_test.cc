// alibi_test.cc: slopes and biases of ALiBi against numbers and the formula.
#include "posenc/relative.h"
#include "tests/support/elements.h"
#include "tests/support/message.h"

namespace posenc::alibi_test {
namespace {

std::vector<double> slopes(const Alibi& alibi) {
  std::vector<double> out;
  for (int64_t h = 0; h < alibi.heads; ++h) out.push_back(alibi.slope(h));
  return out;
}

// The slopes as the paper's code has them: those of a power of two, then every second of twice it.
std::vector<double> plain_slopes(int64_t n, double bias_max) {
  std::vector<double> out;
  int64_t c = 1;
  while (2 * c <= n) c *= 2;
  for (int64_t h = 1; h <= c; ++h)
    out.push_back(std::pow(2, -bias_max * static_cast<double>(h) / static_cast<double>(c)));
  for (int64_t h = 1; std::ssize(out) < n; h += 2)
    out.push_back(std::pow(2, -bias_max * static_cast<double>(h) / static_cast<double>(2 * c)));
  return out;
}

TEST(AlibiSlopes, WorkedNumbers) {
  const std::vector<double> eight{0.5, 0.25, 0.125, 0.0625, 0x1p-5, 0x1p-6, 0x1p-7, 0x1p-8};
  EXPECT_EQ(slopes({.heads = 8}), eight);
  EXPECT_EQ(slopes({.heads = 6}), (std::vector<double>{.25, .0625, .015625, .00390625, .5, .125}));
  const auto twelve = slopes({.heads = 12});
  for (size_t h = 0; h < 8; ++h) EXPECT_EQ(twelve[h], eight[h]);
  const double rest[] = {.707107, .353553, .176777, .088388};
  for (size_t h = 0; h < 4; ++h) EXPECT_NEAR(twelve[8 + h], rest[h], 5e-7);
}

TEST(AlibiSlopes, AnyHeadCountAndBiasMax) {
  for (int64_t n = 1; n <= 130; ++n)
    for (const double bias_max : {8.0, 16.0, 5.5}) {
      const auto found = slopes({.heads = n, .bias_max = bias_max}),
                 truth = plain_slopes(n, bias_max);
      ASSERT_EQ(std::ssize(truth), n);
      // Exponents below 16 are off by 16 * 2^-53 in either order, powers by that and a rounding.
      for (size_t h = 0; h < truth.size(); ++h)
        ASSERT_NEAR(found[h], truth[h], truth[h] * 40 * 0x1p-52) << n << " heads, head " << h;
    }
}

TEST(AlibiSlopes, OfSomeHeadsOrGiven) {
  for (int64_t some = 0; some <= 7; ++some) {
    auto truth = some ? plain_slopes(some, 8) : std::vector<double>{};
    truth.resize(7);
    const auto found = slopes({.heads = 7, .alibi_heads = some});
    for (size_t h = 0; h < 7; ++h) EXPECT_NEAR(found[h], truth[h], truth[h] * 40 * 0x1p-52);
  }
  EXPECT_EQ(slopes({.heads = 3, .slopes = {3, -1, 0}}), (std::vector<double>{3, -1, 0}));
}

TEST(AlibiBias, Forms) {
  const auto symmetric = prepare(Alibi{}), keys = prepare(Alibi{.form = AlibiForm::keys});
  const auto root = prepare(Alibi{.square_root = true});
  const auto root_keys = prepare(Alibi{.form = AlibiForm::keys, .square_root = true});
  for (const double query : {0.0, 7.0, 2.5, -30.0})
    for (const double key : {0.0, 3.0, 7.25, -16.0})
      for (int64_t h = 0; h < 8; ++h) {
        const double m = std::ldexp(1, -static_cast<int>(h) - 1);  // a power of two: exact
        EXPECT_EQ(bias(symmetric, h, query, key), -m * std::abs(query - key));
        EXPECT_EQ(bias(keys, h, query, key), m * key);
        EXPECT_EQ(bias(root, h, query, key), -m * std::sqrt(std::abs(query - key)));
        EXPECT_EQ(bias(root_keys, h, query, key), m * std::copysign(std::sqrt(std::abs(key)), key));
      }
}

TEST(AlibiBias, LearnedAndGivenSlopes) {
  const double m[] = {0.5, -2, 0.125};
  const Tensor weights[] = {tensor(m, {3})};
  const auto learned = prepare(Alibi{.heads = 3, .learned_slopes = true}, {.weights = weights});
  const auto given = prepare(Alibi{.heads = 3, .slopes = {0.5, -2, 0.125}});
  for (int64_t h = 0; h < 3; ++h) {
    EXPECT_EQ(bias(learned, h, 10, 4), -6 * m[h]);
    EXPECT_EQ(bias(given, h, 10, 4), -6 * m[h]);
  }
}

// Slope, key and product in bf16: 1001 becomes 1000, .707107 becomes .70703125.
TEST(AlibiRoundings, Falcon) {
  const auto plan =
      prepare(Alibi{.heads = 12, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16});
  EXPECT_EQ(bias(plan, 0, 0, 1001), 500);
  EXPECT_EQ(bias(plan, 8, 0, 1001), 708);
  EXPECT_EQ(bias(plan, 8, 0, 259), 184);  // .70703125 * 260; 183 had the key not been rounded
  const auto exact = prepare(Alibi{.heads = 12, .form = AlibiForm::keys});
  EXPECT_EQ(bias(exact, 0, 0, 1001), 500.5);
  EXPECT_NEAR(bias(exact, 8, 0, 1001), 707.814, 5e-4);
}

TEST(AlibiRoundings, BloomRoundsTheProduct) {
  Alibi alibi{.heads = 12, .form = AlibiForm::keys, .rounding = AlibiRounding::bf16_product};
  const auto bf16 = prepare(alibi);
  alibi.rounding = AlibiRounding::f16_product;
  const auto f16 = prepare(alibi);
  EXPECT_EQ(bias(bf16, 0, 0, 1001), 500);   // 500.5 between 500 and 502
  EXPECT_EQ(bias(bf16, 8, 0, 1001), 708);   // 707.814 between 704 and 708
  EXPECT_EQ(bias(bf16, 8, 0, 1003), 708);   // 709.228 between 708 and 712
  EXPECT_EQ(bias(f16, 0, 0, 1001), 500.5);  // steps of 1/4
  EXPECT_EQ(bias(f16, 8, 0, 1001), 708);    // 707.814 between 707.5 and 708
  EXPECT_EQ(bias(f16, 8, 0, 1003), 709);    // 709.228 between 709 and 709.5
}

// MPT lets keys end at 0: m (j - (keys - 1)), the same for every query.
TEST(AlibiBias, KeysThatEndAtZero) {
  const auto plan = prepare(Alibi{.heads = 2, .form = AlibiForm::keys});
  std::vector<double> out(2 * 3 * 5);
  fill(plan, tensor(out.data(), {2, 3, 5}), {.keys = range(-4)});
  for (size_t h = 0; h < 2; ++h)
    for (size_t q = 0; q < 3; ++q)
      for (size_t k = 0; k < 5; ++k)
        EXPECT_EQ(out[(h * 3 + q) * 5 + k],
                  std::ldexp(static_cast<double>(k) - 4, h == 0 ? -4 : -8));
}

TEST(AlibiErrors, Sentences) {
  const auto prepared = [](const Alibi& a) { return [a] { prepare(a); }; };
  expect_message(prepared({.heads = 0}), "[alibi] expected heads from 1 to 1048576, got 0");
  expect_message(prepared({.bias_max = -1}), "[alibi] expected bias_max");
  expect_message(prepared({.alibi_heads = 9}), "[alibi] expected alibi_heads from 0 to 8, got 9");
  expect_message(prepared({.alibi_heads = -1}), "[alibi] expected alibi_heads from 0 to 8, got -1");
  expect_message(prepared({.slopes = {1, 2}}), "[alibi] expected slopes for 8 heads, got 2");
  expect_message(prepared({.heads = 1, .slopes = {NAN}}), "[alibi] expected slopes");
  expect_message(prepared({.heads = 1, .slopes = {1}, .learned_slopes = true}),
                 "[alibi] expected learned_slopes without slopes and alibi_heads, got both");
}

}  // namespace
}  // namespace posenc::alibi_test
