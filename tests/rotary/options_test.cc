// options_test.cc: rotary schemes that make no sense get one sentence.
#include "tests/rotary/refused.h"

namespace posenc::options_test {
namespace {

TEST(RotaryOptions, Spans) {
  expect_sentences({
      {{},
       "[rope] expected layout half, interleaved or interleaved-in-half-out, got none: it cannot "
       "be "
       "guessed"},
      {{.dim = 7, .layout = half},
       "[rope] expected rotary_dim, the features that rotate, even and from 0 to 7, got 7"},
      {{.layout = half, .rotary_dim = 63},
       "[rope] expected rotary_dim, the features that rotate, even and from 0 to 128, got 63"},
      {{.dim = 64, .layout = half, .rotary_dim = 66},
       "[rope] expected rotary_dim, the features that rotate, even and from 0 to 64, got 66"},
      {{.layout = half, .rotary_dim = -2},
       "[rope] expected rotary_dim, the features that rotate, even and from 0 to 128, got -2"},
      {{.dim = 0, .layout = half}, "[rope] expected dim from 1 to 1048576, got 0"},
      {{.layout = half, .rotary_dim = 64, .rotary_offset = 65},
       "[rope] expected rotary_offset from -128 to 64, got 65"},
      {{.layout = half, .rotary_offset = INT64_MIN},
       "[rope] expected rotary_offset from -128 to 0, got -9223372036854775808"},
      {{.layout = half, .rotary_heads = 0},
       "[rope] expected rotary_heads from 1 to 1048576, got 0"},
      {{.layout = half, .first_head = INT64_MAX},
       "[rope] expected first_head within 1048576, got 9223372036854775807"},
      {{.layout = half, .blocks = 3}, "[rope] expected blocks that divide the 64 pairs, got 3"},
      {{.layout = half, .blocks = 0}, "[rope] expected blocks that divide the 64 pairs, got 0"},
      {{.layout = half, .offset = INT64_MAX},
       "[rope] expected offset within 2^53, got 9223372036854775807"},
  });
  EXPECT_EQ(message([] { prepare(Rope{.rotary_dim = 0}); }), "no error");
}

TEST(RotaryOptions, Frequencies) {
  const Rope four{.dim = 4, .layout = half};
  const auto with = [](Rope rope, FrequencySource source, Scaling rule = NoScaling{}) {
    rope.frequencies = std::move(source), rope.scaling = std::move(rule);
    return rope;
  };
  Rope mixed = with(four, LearnedFrequencies{});
  mixed.axes = Chunked{{1, 1}};
  expect_sentences({
      {{.layout = half, .base = 0}, "[rope] expected base to be above 0 and finite, got 0"},
      {{.layout = half, .base = nan}, "[rope] expected base to be above 0 and finite, got nan"},
      {{.layout = half, .base = infinity},
       "[rope] expected base to be above 0 and finite, got inf"},
      {{.layout = half, .base = 1, .scaling = Ntk{2}},
       "[rope] expected base above 1 for scaling ntk, got 1"},
      {with(four, Pixels{0}),
       "[rope] expected frequencies.max_res to be above 0 and finite, got 0"},
      {with(four, Periods{-1}),
       "[rope] expected frequencies.min_period to be above 0 and finite, got -1"},
      {with(four, Periods{1, nan}),
       "[rope] expected frequencies.max_period to be above 0 and finite, got nan"},
      {with(four, ListedFrequencies{{1}}), "[rope] expected frequencies.values for 2 pairs, got 1"},
      {with(four, ListedFrequencies{{1, infinity}}),
       "[rope] expected frequencies.values to be finite, got inf"},
      {with(four, ListedFrequencies{{1, 1e300}}),
       "[frequency] expected fewer than 2^62 turns per position, got 1.59155e+299"},
      {with(four, LearnedFrequencies{0, 2}),
       "[rope] expected frequencies.heads from 1 to 1048576, got 0"},
      {with(four, LearnedFrequencies{1, 9}), "[rope] expected frequencies.axes from 1 to 8, got 9"},
      {with(four, LearnedFrequencies{1, 1}, Linear{2}),
       "[rope] expected scaling none with learned frequencies, got linear"},
      {mixed, "[rope] expected axes one with learned frequencies, which mix the axes, got chunked"},
      {with(four, LearnedFrequencies{}), "[rope] expected 1 weights, got 0"},
      {with(four, Pixels{}, Yarn{}),
       "[rope] expected scaling none or linear unless frequencies are powers over all pairs, got "
       "yarn"},
  });
}

TEST(RotaryOptions, Sections) {
  const auto with = [](AxisRule rule) {
    return Rope{.dim = 16, .layout = half, .axes = std::move(rule)};
  };
  const char* sum = "[rope] expected axes.sections that sum to the 8 pairs that rotate, got 7";
  const char* whole = "[rope] expected axes.sections as whole numbers of pairs, got ";
  expect_sentences({
      {with(Chunked{{3, 2, 2}}), sum},
      {with(Restart{{3, 4}}), sum},
      {with(ErnieAxes{{2, 2, 3}}), sum},
      {with(Alternating{{3, 3, 3}}),
       "[rope] expected axes.sections that sum to at most the 8 pairs that rotate, got 9"},
      {with(Chunked{}), "[rope] expected axes.sections for 1 to 8 axes, got 0"},
      {with(Alternating{{1, 1, 1, 1, 1, 1, 1, 1, 1}}),
       "[rope] expected axes.sections for 1 to 8 axes, got 9"},
      {with(Chunked{{4.5, 3.5}}),
       "[rope] expected axes.sections as whole numbers of pairs, got 4.5"},
  });
  for (const double bad : {-1.0, 0.0, 1e300, nan, infinity})
    EXPECT_EQ(message([&] { prepare(with(Restart{{4, bad}})); }).find(whole), 0u) << bad;
  expect_sentences({
      {with(ErnieAxes{{3, 2, 3}}),
       "[rope] expected axes.sections h,w,t with equal h and w, got 3,2,3"},
      {with(Dealt{{5, 3}}),
       "[rope] expected axes.sections of equal size to deal frequencies out, got 5,3"},
      {with(ListedAxes{{0, 1}}), "[rope] expected axes.of_pair for the 8 pairs that rotate, got 2"},
      {with(ListedAxes{{0, 1, 2, 3, 4, 5, 6, 8}}),
       "[rope] expected axes.of_pair as whole numbers from 0 to 7, got 8"},
      {with(ListedAxes{{0, 1, 2, 3, 4, 5, 6, 0.5}}),
       "[rope] expected axes.of_pair as whole numbers from 0 to 7, got 0.5"},
      {with(ListedAxes{{0, 1, 2, 3, 4, 5, 6, -1}}),
       "[rope] expected axes.of_pair as whole numbers from 0 to 7, got -1"},
  });
}

TEST(RotaryOptions, LengthsAndKeptRows) {
  const auto say = [](const Rope& rope, int64_t length, int64_t keep = 0) {
    return message([&] { prepare(rope, {.length = length, .keep = keep}); });
  };
  const Rope plain{.dim = 4, .layout = half};
  Rope dynamic = plain, longrope = plain;
  dynamic.scaling = DynamicNtk{2}, longrope.scaling = LongRope{{1, 1}, {1, 1}};
  EXPECT_EQ(say(dynamic, 0),
            "[prepare] expected the length of the text, which scaling dynamic depends on, got 0");
  EXPECT_EQ(say(longrope, 0),
            "[prepare] expected the length of the text, which scaling longrope depends on, got 0");
  EXPECT_EQ(say(plain, -1), "[prepare] expected a length of the text of at least 0, got -1");
  EXPECT_EQ(say(plain, 0, -1),
            "[prepare] expected rows to keep of at least 0 that fit 64 bits, got -1");
  EXPECT_EQ(say(plain, 0, INT64_MAX),
            "[prepare] expected rows to keep of at least 0 that fit 64 bits, got "
            "9223372036854775807");
  EXPECT_EQ(
      say(dynamic, 3000, 3001),
      "[prepare] expected up to 3000 rows to keep of this scheme, whose frequencies depend on "
      "the length of the text, got 3001");
}

// A plan is refused only where a longer text would have other frequencies.
TEST(RotaryOptions, PositionsBeyondTheLength) {
  const auto say = [](const Scaling& scaling, int64_t length, int64_t last) {
    const RotaryPlan plan =
        prepare(Rope{.dim = 4, .layout = half, .scaling = scaling}, {.length = length});
    std::vector<float> x(3 * 4), row(4);
    const int64_t ids[] = {0, last, 1};
    const double reals[] = {0, static_cast<double>(last), 1};
    const Tensor q = tensor(x.data(), {3, 1, 4});
    const std::string said = message([&] { rotate(plan, {q}, range(last - 2)); });
    EXPECT_EQ(message([&] { rotate(plan, {q}, positions(tensor(ids, {3}))); }), said);
    EXPECT_EQ(message([&] { rotate(plan, {q}, positions(tensor(reals, {3}))); }), said);
    EXPECT_EQ(message([&] { move(plan, range(), plan, range(last - 2), q); }).substr(6),
              said == "no error" ? "or" : said.substr(8));
    EXPECT_EQ(message([&] {
                fill(plan.table(), tensor(row.data(), {1, 4}), range(last));
              }).substr(6),
              said == "no error" ? "or" : said.substr(8));
    EXPECT_EQ(said == "no error", last < plan.max_length());
    return said;
  };
  const DynamicNtk dynamic{2, 100};
  const LongRope longrope{{1, 1}, {2, 2}, 100};
  EXPECT_EQ(say(dynamic, 200, 200),
            "[rotate] expected positions below 200 of this plan, whose frequencies depend on the "
            "length of the text, got 200");
  EXPECT_EQ(say(dynamic, 200, 199), "no error");
  EXPECT_EQ(say(dynamic, 7, 99), "no error");  // texts of up to 100 have the same
  EXPECT_NE(say(dynamic, 7, 100), "no error");
  EXPECT_EQ(say(longrope, 7, 99), "no error");
  EXPECT_NE(say(longrope, 100, 100), "no error");
  EXPECT_EQ(say(longrope, 101, 1'000'000), "no error");  // all longer texts have the same
  EXPECT_EQ(say(Linear{4}, 7, 1'000'000), "no error");
}

}  // namespace
}  // namespace posenc::options_test
