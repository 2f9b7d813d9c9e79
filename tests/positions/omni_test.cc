// omni_test.cc: positions with sound, of sliced and of drawn images, as transformers has them.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <sstream>

#include "posenc/positions/image_axes.h"
#include "posenc/positions/slices.h"
#include "tests/support/message.h"
#include "tests/support/paths.h"

namespace posenc::omni_test {
namespace {

// A line of golden/omni.txt: its words up to "end", then numbers.
struct Line {
  std::string model;
  std::vector<Segment> segments{}, drawn{};
  std::vector<SlicedImage> images{};
  int64_t after = 0, merge = 0;
  double delta = 0;
  std::vector<double> positions{};
};

void read_part(const std::string& word, std::istream& in, Line& line) {
  const auto number = [&in] {
    int64_t out = 0;
    in >> out;
    return out;
  };
  const bool sliced = line.model == "minicpm-v";
  if (word == "merge") return void(line.merge = number());
  if (word == "text" && sliced) return void(line.after = number());
  if (word == "text") return line.segments.push_back(Segment::text(number()));
  if (word == "audio") return line.segments.push_back(Segment::audio(number()));
  int64_t a = number(), b = number();
  if (word == "drawn") return line.drawn.push_back(Segment::image(a, b));
  if (word == "image" && !sliced) return line.segments.push_back(Segment::image(a, b));
  const int64_t c = number();
  if (sliced) {
    SlicedImage image{.text = a, .height = b, .width = c};
    in >> image.rows >> image.columns >> image.slice_height >> image.slice_width >> image.newlines;
    return line.images.push_back(image);
  }
  double seconds = 0;
  in >> seconds;
  line.segments.push_back(Segment::video(a, b, c, seconds, number()));
}

std::vector<Line> lines_of(const std::string& model) {
  std::ifstream file(golden_path("omni.txt"));
  std::vector<Line> out;
  std::string text, word;
  while (std::getline(file, text)) {
    std::istringstream in(text);
    Line line;
    in >> line.model;
    if (line.model != model) continue;
    while (in >> word && word != "end") read_part(word, in, line);
    in >> line.delta;
    for (double p; in >> p;) line.positions.push_back(p);
    out.push_back(std::move(line));
  }
  return out;
}

SegmentRule rule_of(const std::string& model) {
  for (const auto& preset : SegmentRule::presets())
    if (preset.name == model) return preset.value;
  ADD_FAILURE() << model;
  return {};
}

template <class T>
std::vector<double> doubles(const std::vector<T>& ids) {
  return {ids.begin(), ids.end()};
}

TEST(Omni, WholePositionsAreThoseOfTransformers) {
  const auto lines = lines_of("qwen2.5-omni");
  ASSERT_EQ(lines.size(), 16u);
  for (const Line& line : lines) {
    const auto plan = segments(line.segments, rule_of(line.model));
    EXPECT_EQ(doubles(plan.positions.ids), line.positions);
    EXPECT_EQ(static_cast<double>(plan.rope_delta), line.delta);
    const auto real = segment_coordinates(line.segments, rule_of(line.model));
    EXPECT_EQ(real.positions.ids, line.positions);
    EXPECT_EQ(real.rope_delta, line.delta);
  }
}

TEST(Omni, RealPositionsAreThoseOfTransformers) {
  const auto lines = lines_of("qwen3-omni");
  ASSERT_EQ(lines.size(), 16u);
  for (const Line& line : lines) {
    const auto plan = segment_coordinates(line.segments, rule_of(line.model));
    EXPECT_EQ(plan.positions.ids, line.positions);
    EXPECT_EQ(plan.rope_delta, line.delta);
  }
}

TEST(Omni, ImagesOnAxesOfTheirOwn) {
  const auto lines = lines_of("hunyuan-vl");
  ASSERT_EQ(lines.size(), 6u);
  for (const Line& line : lines) {
    const auto plan = image_axes(line.segments);
    EXPECT_EQ(plan.positions.axes, 4);
    EXPECT_EQ(doubles(plan.positions.ids), line.positions);
    EXPECT_EQ(static_cast<double>(plan.rope_delta), line.delta);
  }
}

TEST(Omni, DrawnImagesFollowThePrompt) {
  const auto lines = lines_of("glm-image");
  ASSERT_EQ(lines.size(), 6u);
  for (const Line& line : lines) {
    const auto prompt = segments(line.segments, rule_of(line.model));
    const auto more = drawn(line.drawn, prompt.next);
    std::vector<double> both;
    for (int64_t axis = 0; axis < 3; ++axis)
      for (const PlannedPositions* part : {&prompt.positions, &more})
        for (int64_t t = 0; t < part->tokens; ++t)
          both.push_back(static_cast<double>(part->at(axis, 0, t)));
    EXPECT_EQ(both, line.positions);
  }
}

TEST(Omni, SlicesLieOnOneCanvas) {
  const auto lines = lines_of("minicpm-v");
  ASSERT_EQ(lines.size(), 12u);
  for (const Line& line : lines) {
    const auto plan = sliced(line.images, line.after, line.merge);
    EXPECT_EQ(doubles(plan.positions.ids), line.positions);
    EXPECT_EQ(static_cast<double>(plan.rope_delta), line.delta);
  }
}

TEST(Omni, WhatIsRefused) {
  const std::vector<Segment> video{Segment::video(2, 2, 2, 1, 5)};
  expect_message([&] { segments(video, rule_of("qwen3-omni")); },
                 "[segments] expected a rule of whole positions, got real-f32");
  expect_message([&] { segments(video, rule_of("qwen3-vl")); },
                 "[segments] expected sound inside a video that is one block");
  expect_message([&] { segments(std::vector{Segment::video(1, 2, 2, 1, -1)}); }, "sound");
  expect_message([&] { image_axes(video); }, "[image_axes] expected text and images, got a");
  expect_message([&] { image_axes({}, {.axes = 2}); }, "axes");
  expect_message([&] { image_axes(std::vector{Segment::image(3, 2)}); },
                 "[image_axes] expected sides divisible by 2, got 3");
  expect_message([&] { image_axes(std::vector{Segment::image(2, 2)}, {.first_image = INT64_MAX}); },
                 "[image_axes] expected positions that fit 64 bits");
  for (const double seconds : {1e300, 0x1p52})
    expect_message(
        [&] {
          segment_coordinates(std::vector{Segment::video(3, 2, 2, seconds, 4)},
                              rule_of("qwen3-omni"));
        },
        "[segments] expected positions of at most 2^53, got ");
  expect_message([&] { drawn(video, 0); }, "[drawn] expected images");
  expect_message([&] { sliced(std::vector<SlicedImage>{{.rows = 1}}, 0); },
                 "[sliced] expected rows and columns of slices, or none, got 1 and 0");
  expect_message([&] { sliced(std::vector<SlicedImage>{{.text = -1}}, 0); }, "[sliced] expected");
  EXPECT_EQ(sliced({}, 0).positions.tokens, 0);
  EXPECT_EQ(image_axes({}).positions.tokens, 0);
  EXPECT_EQ(segment_coordinates({}).positions.tokens, 0);
}

}  // namespace
}  // namespace posenc::omni_test
