// tupe_test.cc: untied positions against the steps of their code.
#include "tests/relative/cases.h"
#include "tests/support/message.h"

namespace posenc::tupe_test {
namespace {

TEST(Tupe, WorkedScale) { EXPECT_NEAR(Tupe{}.scale(), .088388, 5e-7); }

// All of tokens x tokens for a head: products of all rows, then the class token's row and column
// are overwritten; then the buckets, with theirs.
std::vector<std::vector<double>> plain_biases(const Tupe& s, const PreparedBias& p, size_t head,
                                              size_t tokens) {
  const size_t more = s.class_token ? 1 : 0, dim = static_cast<size_t>(s.dim);
  const size_t rows = static_cast<size_t>(s.rows) + more;
  const auto q = numbers(p.weights.arrays[0].view()), k = numbers(p.weights.arrays[1].view());
  const auto product = [&](size_t i, size_t j) {
    double sum = 0;
    for (size_t f = 0; f < dim; ++f)
      sum += q[(head * rows + i) * dim + f] * k[(head * rows + j) * dim + f];
    return sum / std::sqrt(2.0 * static_cast<double>(dim));
  };
  std::vector<std::vector<double>> out(tokens, std::vector<double>(tokens));
  for (size_t i = 0; i < tokens; ++i)
    for (size_t j = 0; j < tokens; ++j) out[i][j] = product(i + more, j + more);
  for (size_t i = 0; more > 0 && i < tokens; ++i) out[i][0] = product(1, 1);
  for (size_t j = 0; more > 0 && j < tokens; ++j) out[0][j] = product(0, 0);
  if (s.buckets == 0) return out;
  const auto table = numbers(p.weights.arrays[2].view());
  const T5Bias t5{.heads = s.heads, .buckets = s.buckets, .max_distance = s.max_distance};
  for (size_t i = 0; i < tokens; ++i)
    for (size_t j = 0; j < tokens; ++j) {
      int64_t bucket = t5.bucket(static_cast<int64_t>(j) - static_cast<int64_t>(i));
      if (more > 0 && j == 0) bucket = s.buckets;
      if (more > 0 && i == 0) bucket = s.buckets / 2;
      out[i][j] += table[static_cast<size_t>(bucket * s.heads) + head];
    }
  return out;
}

// A sum of dim products, each of numbers as random weights are, is off by as many roundings.
TEST(Tupe, IsItsCode) {
  Random random(1);
  for (const bool class_token : {true, false})
    for (const int64_t buckets : {0, 12}) {
      const Tupe s{.heads = 3,
                   .dim = 7,
                   .rows = 40,
                   .buckets = buckets,
                   .max_distance = 20,
                   .class_token = class_token};
      const PreparedBias p = prepare_random(s, random);
      for (size_t head = 0; head < 3; ++head) {
        const auto truth = plain_biases(s, p, head, 40);
        for (size_t i = 0; i < 40; ++i)
          for (size_t j = 0; j < 40; ++j)
            EXPECT_NEAR(bias(p.plan, static_cast<int64_t>(head), static_cast<double>(i),
                             static_cast<double>(j)),
                        truth[i][j], 16 * 0x1p-52 * 8)
                << i << " " << j;
      }
    }
}

TEST(Tupe, TokensBeyondTheTableShareItsLastRow) {
  Random random(2);
  const PreparedBias p =
      prepare_random(Tupe{.heads = 1, .dim = 3, .rows = 8, .buckets = 0}, random);
  EXPECT_EQ(bias(p.plan, 0, 20, 3), bias(p.plan, 0, 7, 3));
  EXPECT_EQ(bias(p.plan, 0, 3, 8), bias(p.plan, 0, 3, 7));
  EXPECT_NE(bias(p.plan, 0, 3, 6), bias(p.plan, 0, 3, 7));
}

TEST(Tupe, WeightsByName) {
  const auto w = Tupe{.heads = 4, .dim = 6, .rows = 9}.weights();
  ASSERT_EQ(w.size(), 3U);
  EXPECT_EQ(w[0].name, "position_queries");
  EXPECT_EQ(w[1].name, "position_keys");
  EXPECT_EQ(w[0].shape, (std::vector<int64_t>{4, 10, 6}));
  EXPECT_EQ(w[2].shape, (std::vector<int64_t>{33, 4}));
  const auto plain = Tupe{.heads = 4, .dim = 6, .rows = 9, .class_token = false}.weights();
  EXPECT_EQ(plain[0].shape, (std::vector<int64_t>{4, 9, 6}));
  EXPECT_EQ(plain[2].shape, (std::vector<int64_t>{32, 4}));
  EXPECT_EQ((Tupe{.buckets = 0}.weights().size()), 2U);
}

TEST(Tupe, Sentences) {
  expect_message([] { Tupe{.dim = 0}.check(); }, "[tupe] expected dim");
  expect_message([] { Tupe{.rows = 0}.check(); }, "[tupe] expected rows");
  expect_message([] { Tupe{.buckets = 3}.check(); }, "[tupe] expected buckets");
  for (const auto& preset : Tupe::presets()) EXPECT_NO_THROW(preset.value.check());
}

}  // namespace
}  // namespace posenc::tupe_test
