// padding_test.cc: masks become positions as transformers, RoBERTa, fairseq and OPT count them.
#include "posenc/positions/padding.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "tests/positions/golden.h"
#include "tests/support/elements.h"
#include "tests/support/guarded.h"
#include "tests/support/message.h"

namespace posenc {
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
                        Case{"roberta", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}},
                        Case{"fairseq", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}},
                        Case{"opt", {1, 1, 2, 3, 4}, {2, 3, 4, 1, 1}},
                        Case{"opt-ids", {-1, -1, 0, 1, 2}, {0, 1, 2, -1, -1}}}) {
    EXPECT_EQ(padded(view(left), rule(c.name)).ids, c.left) << c.name;
    EXPECT_EQ(padded(view(right), rule(c.name)).ids, c.right) << c.name;
  }
  EXPECT_EQ(Padding::presets().size(), 6u);
  EXPECT_EQ(padded(view({1, 1, 0, 0}), roberta_padding(1)).ids, (Ids{2, 3, 1, 1}));
  EXPECT_EQ(padded(view({1, 0, 1}), roberta_padding(0)).ids, (Ids{1, 0, 2}));
}

TEST(Padding, AsTransformersDoesIt) {
  auto lines = golden_lines("padding");
  ASSERT_EQ(lines.size(), 24u);
  for (auto& line : lines) {
    const auto name = next<std::string>(line);
    const auto tokens = next<int64_t>(line);
    const auto mask = next_values<int64_t>(line, tokens);
    EXPECT_EQ(padded(view(mask), rule(name)).ids, next_values<int64_t>(line, tokens)) << name;
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
}  // namespace posenc
