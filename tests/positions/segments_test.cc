// segments_test.cc: text, images and videos against worked numbers and transformers.
#include "posenc/positions/segments.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

#include "tests/positions/golden.h"
#include "tests/support/message.h"

namespace posenc::segments_test {
namespace {

using Ids = std::vector<int64_t>;
using List = std::vector<Segment>;

SegmentRule rule(const std::string& name) {
  for (const auto& preset : SegmentRule::presets())
    if (preset.name == name) return preset.value;
  ADD_FAILURE() << "no rule " << name;
  return {};
}

Ids axis(const SegmentPositions& plan, int64_t a) {
  const auto begin = plan.positions.ids.begin() + a * plan.positions.tokens;
  return {begin, begin + plan.positions.tokens};
}

TEST(Segments, TwoTextAnImageTwoText) {
  const auto plan = segments(List{Segment::text(2), Segment::image(2, 3), Segment::text(2)});
  EXPECT_EQ(axis(plan, 0), (Ids{0, 1, 2, 2, 2, 2, 2, 2, 5, 6}));
  EXPECT_EQ(axis(plan, 1), (Ids{0, 1, 2, 2, 2, 3, 3, 3, 5, 6}));
  EXPECT_EQ(axis(plan, 2), (Ids{0, 1, 2, 3, 4, 2, 3, 4, 5, 6}));
  EXPECT_EQ(plan.rope_delta, -3);
  EXPECT_EQ(plan.positions.axes, 3);
  EXPECT_EQ(plan.positions.rows, 1);
}

TEST(Segments, TheCounterAfterAVideo) {
  const List list{Segment::text(2), Segment::video(8, 2, 2), Segment::text(1)};
  const auto sides = segments(list), largest = segments(list, {.counter = CounterRule::largest});
  EXPECT_EQ(sides.positions.at(0, 0, 34), 4);
  EXPECT_EQ(largest.positions.at(0, 0, 34), 10);
  EXPECT_EQ(sides.rope_delta, 9 + 1 - 35) << "the last frame stands at 9";
  EXPECT_EQ(largest.rope_delta, 10 + 1 - 35);
}

TEST(Segments, FramesStandApartInTime) {
  const auto frames = [](TimeRule time, double seconds, double rate) {
    const SegmentRule rule{.time = time, .tokens_per_second = rate};
    return axis(segments(List{Segment::video(5, 1, 1, seconds)}, rule), 0);
  };
  EXPECT_EQ(frames(TimeRule::frames, 0.5, 2), (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(frames(TimeRule::whole_seconds, 0.5, 2), (Ids{0, 0, 0, 0, 0}));
  EXPECT_EQ(frames(TimeRule::whole_seconds, 1.9, 2), (Ids{0, 2, 4, 6, 8}));
  EXPECT_EQ(frames(TimeRule::product, 0.5, 2), (Ids{0, 1, 2, 3, 4}));
  EXPECT_EQ(frames(TimeRule::product, 0.7, 2), (Ids{0, 1, 2, 4, 5}));
  EXPECT_EQ(frames(TimeRule::product, 1 / 3.0, 25), (Ids{0, 8, 16, 24, 33}));
  EXPECT_EQ(frames(TimeRule::product_f32, 1 / 3.0, 25), (Ids{0, 8, 16, 25, 33}));
  // 15 frames of 0.28 s: 4.2 in f32 lies below, and 25 times it, rounded, too.
  const SegmentRule by_seconds{.time = TimeRule::seconds_f32, .tokens_per_second = 25};
  const Ids late = axis(segments(List{Segment::video(16, 1, 1, 0.28)}, by_seconds), 0);
  EXPECT_EQ(late[14], 98);
  EXPECT_EQ(late[15], 104);
  const SegmentRule timed{.time = TimeRule::product, .tokens_per_second = 9};
  Segment stills = Segment::image(1, 1);
  stills.frames = 3;
  EXPECT_EQ(axis(segments(List{stills}, timed), 0), (Ids{0, 1, 2})) << "images have no seconds";
}

TEST(Segments, SplitFramesAreBlocks) {
  const SegmentRule split{.split_frames = true};
  const auto plan = segments(List{Segment::text(1), Segment::video(2, 1, 2)}, split);
  EXPECT_EQ(axis(plan, 0), (Ids{0, 1, 1, 3, 3}));
  EXPECT_EQ(axis(plan, 2), (Ids{0, 1, 2, 3, 4}));
  const auto listed =
      segments(List{Segment::text(1), Segment::video(1, 1, 2), Segment::video(1, 1, 2)}, {});
  EXPECT_EQ(plan.positions, listed.positions);
}

// segments RULE (text N | image H W | video T H W SECONDS)... end DELTA TOKENS SHOWN POSITIONS...
List next_segments(std::istream& line) {
  List out;
  for (auto word = next<std::string>(line); word != "end"; word = next<std::string>(line)) {
    if (word == "text") {
      out.push_back(Segment::text(next<int64_t>(line)));
      continue;
    }
    const auto sizes = next_values<int64_t>(line, word == "image" ? 2 : 3);
    out.push_back(word == "image"
                      ? Segment::image(sizes[0], sizes[1])
                      : Segment::video(sizes[0], sizes[1], sizes[2], next<double>(line)));
  }
  return out;
}

TEST(Segments, AsTransformersDoesIt) {
  auto lines = golden_lines("segments");
  ASSERT_EQ(lines.size(), 35u);
  for (auto& line : lines) {
    const auto name = next<std::string>(line);
    const auto plan = segments(next_segments(line), rule(name));
    EXPECT_EQ(plan.rope_delta, next<int64_t>(line)) << name;
    const auto tokens = next<int64_t>(line), shown = next<int64_t>(line);
    ASSERT_EQ(plan.positions.tokens, tokens) << name;
    for (int64_t a = 0; a < 3; ++a) {
      const Ids all = axis(plan, a);
      EXPECT_EQ(Ids(all.end() - shown, all.end()), next_values<int64_t>(line, shown)) << name;
    }
  }
}

TEST(Segments, FramesAsTransformersPlacesThem) {
  auto lines = golden_lines("frames");
  ASSERT_EQ(lines.size(), 5u);
  for (auto& line : lines) {
    SegmentRule timed{.time = TimeRule::product_f32, .tokens_per_second = next<double>(line)};
    const auto seconds = next<double>(line);
    const auto count = next<int64_t>(line);
    EXPECT_EQ(axis(segments(List{Segment::video(count, 1, 1, seconds)}, timed), 0),
              next_values<int64_t>(line, count));
  }
}

Segment any_segment() {
  const auto size = [] { return *rc::gen::inRange<int64_t>(0, 6); };
  const auto medium = *rc::gen::inRange(0, 3);
  if (medium == 0) return Segment::text(size());
  if (medium == 1) return Segment::image(size(), size());
  return Segment::video(size(), size(), size(), 0.25 * static_cast<double>(size()));
}
SegmentRule any_rule() {
  return {.split_frames = *rc::gen::arbitrary<bool>(),
          .time = static_cast<TimeRule>(*rc::gen::inRange(0, 4)),
          .tokens_per_second = static_cast<double>(*rc::gen::inRange(0, 5)),
          .counter = static_cast<CounterRule>(*rc::gen::inRange(0, 2))};
}

RC_GTEST_PROP(Segments, TheDeltaLeadsPastTheLargestPosition, ()) {
  const SegmentRule rule = any_rule();
  List list(*rc::gen::inRange<size_t>(0, 6));
  std::generate(list.begin(), list.end(), any_segment);
  const auto plan = segments(list, rule);
  int64_t tokens = 0;
  for (const Segment& s : list) tokens += segment_tokens(s, rule);
  RC_ASSERT(plan.positions.tokens == tokens);
  const Ids& ids = plan.positions.ids;
  const int64_t past = ids.empty() ? 0 : *std::max_element(ids.begin(), ids.end()) + 1;
  RC_ASSERT(plan.rope_delta == past - tokens);
}

// With the counter past everything, no later segment stands before or on an earlier one.
RC_GTEST_PROP(Segments, TheLargestCounterNeverOverlaps, ()) {
  SegmentRule rule = any_rule();
  rule.counter = CounterRule::largest;
  List list(*rc::gen::inRange<size_t>(1, 6));
  std::generate(list.begin(), list.end(), any_segment);
  const auto plan = segments(list, rule).positions;
  int64_t token = 0, past = 0;
  for (const Segment& s : list) {
    const int64_t end = token + segment_tokens(s, rule), before = past;
    for (; token < end; ++token)
      for (int64_t a = 0; a < 3; ++a) {
        RC_ASSERT(plan.at(a, 0, token) >= before);
        past = std::max(past, plan.at(a, 0, token) + 1);
      }
  }
}

TEST(Segments, SaysWhatIsWrong) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  const auto expect = [](const List& list, const SegmentRule& rule, std::string_view part) {
    expect_message([&] { segments(list, rule); }, part);
  };
  const Segment text = Segment::text(1);
  expect({Segment::text(-1)}, {}, "[segments] expected text tokens of at least 0, got -1");
  expect({Segment::audio(-1)}, {}, "[segments] expected audio tokens of at least 0, got -1");
  expect({Segment::image(-2, 2)}, {}, "expected height of at least 0, got -2");
  expect({Segment::image(2, -2)}, {}, "expected width of at least 0, got -2");
  expect({Segment::video(-1, 2, 2)}, {}, "expected frames of at least 0, got -1");
  expect({Segment::video(2, 2, 2, -1)}, {}, "expected seconds of at least 0, got -1");
  expect({Segment::video(2, 2, 2, infinite)}, {}, "expected seconds of at least 0, got inf");
  expect({Segment::image(2, 3)}, rule("qwen2-vl"), "expected width divisible by 2, got 3");
  expect({Segment::video(3, 2, 2)}, rule("ernie-4.5-vl"), "expected frames divisible by 2, got 3");
  expect({text}, {.spatial_merge = 0}, "expected spatial_merge of at least 1, got 0");
  expect({text}, {.temporal_merge = -1}, "expected temporal_merge of at least 1, got -1");
  expect({text}, {.tokens_per_second = -1}, "expected tokens_per_second of at least 0, got -1");
  expect({Segment::text(INT64_MAX), text}, {}, "expected tokens that fit 64 bits");
  expect({Segment::image(INT64_MAX, 2)}, {}, "expected tokens that fit 64 bits");
  const SegmentRule fast{.time = TimeRule::product, .counter = CounterRule::largest};
  expect({Segment::video(2, 1, 1, 0x1p62)}, fast, "expected positions that fit 64 bits");
  const Segment long_video = Segment::video(2, 1, 1, 0x1p61);
  expect({long_video, long_video, long_video, long_video, text}, fast,
         "expected positions that fit 64 bits");
  EXPECT_EQ(segments(List{}).positions.tokens, 0);
  EXPECT_EQ(segments(List{}).rope_delta, 0);
}

}  // namespace
}  // namespace posenc::segments_test
