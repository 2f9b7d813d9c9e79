// padding_test.cc: masks become positions as transformers, RoBERTa, fairseq and OPT count them.
#include "posenc/positions/padding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "posenc/absolute.h"
#include "tests/positions/golden.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc::padding_test {
namespace {

using Ids = std::vector<int64_t>;
Tensor view(const Ids& ids) { return tensor(ids.data(), {std::ssize(ids)}); }

Padding rule(const std::string& name) {
  for (const auto& preset : Padding::presets())
    if (preset.name == name) return preset.value;
  ADD_FAILURE() << "no rule " << name;
  return {};
}

TEST(Padding, ThePictureInTheHeader) {
  const Ids left{0, 0, 1, 1, 1}, right{1, 1, 1, 0, 0};
  struct Case {
    std::string name;
    Ids left, right;
  };
  for (const Case& c : {Case{"transformers", {0, 0, 0, 1, 2}, {0, 1, 2, 0, 0}},
                        Case{"transformers-4", {1, 1, 0, 1, 2}, {0, 1, 2, 1, 1}},
                        Case{"roberta", {-1, -1, 0, 1, 2}, {0, 1, 2, -1, -1}},
                        Case{"fairseq", {-1, -1, 0, 1, 2}, {0, 1, 2, -1, -1}},
                        Case{"opt", {-1, -1, 0, 1, 2}, {0, 1, 2, -1, -1}},
                        Case{"roberta-rows", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}},
                        Case{"fairseq-rows", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}},
                        Case{"opt-rows", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}}}) {
    EXPECT_EQ(padded(view(left), rule(c.name)).ids, c.left) << c.name;
    EXPECT_EQ(padded(view(right), rule(c.name)).ids, c.right) << c.name;
  }
  EXPECT_EQ(Padding::presets().size(), 8u);
  EXPECT_EQ(padded(view({1, 1, 0, 0}), padding_rows(1)).ids, (Ids{2, 3, 1, 1}));
  EXPECT_EQ(padded(view({1, 0, 1}), padding_rows(0)).ids, (Ids{1, 0, 2}));
}

// A table of which every number is that of its row.
std::vector<float> numbered(int64_t rows, int64_t dim) {
  std::vector<float> out;
  for (int64_t i = 0; i < rows * dim; ++i) out.push_back(static_cast<float>(i / dim));
  return out;
}

template <class S>
S preset(std::string_view name, int64_t dim) {
  for (const auto& p : S::presets())
    if (p.name == name) {
      S out = p.value;
      out.dim = dim;
      return out;
    }
  ADD_FAILURE() << "no preset " << name;
  return {};
}

// The rule and the preset of one name read the rows that the model reads: `<name>-rows`.
TEST(Padding, RulesFitThePresetsOfTheirName) {
  const Ids left{0, 0, 1, 1, 1}, right{1, 1, 1, 0, 0};
  for (const char* name : {"roberta", "opt"})
    for (const Ids& mask : {left, right}) {
      const Learned scheme = preset<Learned>(name, 1);
      const auto table = numbered(scheme.rows, 1);
      std::vector<float> out(5);
      fill(scheme, tensor(out.data(), {5, 1}), padded(view(mask), rule(name)),
           {.weights = {{tensor(table.data(), {scheme.rows, 1})}}});
      const auto rows = padded(view(mask), rule(std::string(name) + "-rows")).ids;
      EXPECT_EQ(Ids(out.begin(), out.end()), rows) << name;
    }
}

// fairseq: the n-th token, n from 0, reads sines and cosines of n + 2, a padded slot zeros.
TEST(Padding, FairseqSinusoids) {
  const Sinusoidal fairseq = preset<Sinusoidal>("fairseq", 6);
  Sinusoidal table = fairseq;  // its rows, as the model has them
  table.offset = 0, table.padding.reset();
  for (const Ids& mask :
       {Ids{0, 0, 1, 1, 1}, Ids{1, 1, 1, 1, 1, 0}, Ids{0, 1, 0, 1, 1, 1, 1, 1, 1}}) {
    const auto tokens = std::ssize(mask);
    std::vector<double> out(mask.size() * 6, 9), rows(out);
    fill(fairseq, tensor(out.data(), {tokens, 6}), padded(view(mask), rule("fairseq")));
    fill(table, tensor(rows.data(), {tokens, 6}), padded(view(mask), rule("fairseq-rows")));
    for (size_t i = 0; i < out.size(); ++i) EXPECT_EQ(out[i], mask[i / 6] ? rows[i] : 0) << i;
  }
}

// A row of zeros says nothing about a learned scale: d alpha = sum of dout times the other rows.
TEST(Padding, ZerosHaveNoGradient) {
  Sinusoidal scheme = preset<Sinusoidal>("fairseq", 6);
  scheme.learned_scale = true;
  const double alpha[] = {1};
  const Tensor weights[] = {tensor(alpha, {1})};
  std::vector<double> dout(30), rows(30);
  Random random(4);
  for (double& x : dout) x = random.real();
  const auto at = padded(view({0, 1, 1, 0, 1}), rule("fairseq"));
  fill(scheme, tensor(rows.data(), {5, 6}), at, {.weights = weights});
  double sum = 0, got = 0;
  for (size_t i = 0; i < rows.size(); ++i) sum += dout[i] * rows[i];
  backward(prepare(scheme, {.weights = weights}), tensor(dout.data(), {5, 6}),
           {{tensor(&got, {1})}}, at);
  EXPECT_NEAR(got, sum, 30 * 4e-16 + 60 * 0x1p-53);  // errors of 30 rows, roundings of two sums
}

TEST(Padding, AsTransformersDoesIt) {
  auto lines = golden_lines("padding");
  ASSERT_EQ(lines.size(), 24u);
  for (auto& line : lines) {
    const auto name = next<std::string>(line);
    const auto tokens = next<int64_t>(line);
    const auto mask = next_values<int64_t>(line, tokens);
    const auto expected = next_values<int64_t>(line, tokens);
    const bool has_rows = name != "transformers";
    EXPECT_EQ(padded(view(mask), rule(has_rows ? name + "-rows" : name)).ids, expected) << name;
  }
}

TEST(Padding, MasksHaveAnyTypeAndStride) {
  Random random(3);
  for (DType dtype : {DType::i32, DType::i64})
    for (Placement placement : all_placements) {
      Guarded mask(dtype, {3, 11}, placement);
      randomize_ids(mask.view(), random, 0, 1);
      const auto bits = numbers(mask.view());
      const Ids flat(bits.begin(), bits.end());
      const auto out = padded(mask.view(), {10, -7});
      EXPECT_EQ(out, padded(tensor(flat.data(), {3, 11}), {10, -7}));
      for (int64_t r = 0; r < 3; ++r) {
        const Ids row(flat.begin() + r * 11, flat.begin() + (r + 1) * 11);
        const Ids alone = padded(view(row), {10, -7}).ids;
        EXPECT_TRUE(std::equal(alone.begin(), alone.end(), out.ids.begin() + r * 11));
      }
    }
}

// What a step of generation needs is the end of what the whole mask gives.
RC_GTEST_PROP(Padding, CachedSlotsCountButGetNoPosition, ()) {
  const auto mask = *rc::gen::container<Ids>(rc::gen::inRange<int64_t>(0, 2));
  const auto past = *rc::gen::inRange<int64_t>(0, std::ssize(mask) + 1);
  const Ids all = padded(view(mask)).ids;
  RC_ASSERT(padded(view(mask), {}, past).ids == Ids(all.begin() + past, all.end()));
}

TEST(Padding, SaysWhatIsWrong) {
  expect_message(
      [] {
        padded(view({1, 2, 0}));
      },
      "[padded] expected a mask of 0 and 1, got 2 at row 0, token 1");
  expect_message([] { padded(view({1, -1})); }, "got -1 at row 0, token 1");
  expect_message([] { padded(view({1, 1}), {}, 3); }, "expected past from 0 to the 2 tokens");
  expect_message([] { padded(view({1, 1}), {}, -1); }, "got -1");
  expect_message(
      [] {
        padded(view({1, 1}), {INT64_MAX, 0});
      },
      "expected positions that fit 64 bits");
  float number = 1;
  expect_message([&] { padded(tensor(&number, {1})); }, "expected a mask as i32 or i64 [tokens]");
  const int64_t bit = 1;
  expect_message([&] { padded(tensor(&bit, {1, 1, 1})); }, "got i64 [1, 1, 1]");
  expect_message([] { padded(tensor<int32_t>(nullptr, {2, 2})); }, "got a null pointer");
}

}  // namespace
}  // namespace posenc::padding_test
