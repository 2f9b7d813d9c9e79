// segments.cc: the rules by which a counter walks along text, images, videos and sound.
#include "posenc/positions/segments.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "positions/walk.h"

namespace posenc {
namespace {

using namespace planning;

constexpr const char* where = "segments";

void check_rule(const SegmentRule& rule) {
  check_choices(where, rule);
  check_at_least(where, "spatial_merge", rule.spatial_merge, 1);
  check_at_least(where, "temporal_merge", rule.temporal_merge, 1);
  check_at_least(where, "chunk", rule.chunk, 1);
  if (!is_finite(rule.tokens_per_second) || rule.tokens_per_second < 0)
    fail(where, "expected tokens_per_second of at least 0, got ", rule.tokens_per_second);
}

int64_t divided(const char* what, int64_t size, int64_t by) {
  check_at_least(where, what, size, 0);
  if (size % by != 0) fail(where, "expected ", what, " divisible by ", by, ", got ", size);
  return size / by;
}

}  // namespace

namespace planning {

VisionBlock merged(const Segment& s, const SegmentRule& rule) {
  return {divided("frames", s.frames, s.medium == Medium::video ? rule.temporal_merge : 1),
          divided("height", s.height, rule.spatial_merge),
          divided("width", s.width, rule.spatial_merge)};
}

namespace {

// f32 products round one after the other, whatever the compiler would rather do.
float rounded(float a, float b) {
  const volatile float product = a * b;
  return product;
}

// Before it is cut to a whole number.
double real_distance(const Segment& s, const SegmentRule& rule, int64_t frame) {
  const double rate = rule.tokens_per_second, f = static_cast<double>(frame);
  if (rule.time == TimeRule::product) return f * (rate * s.seconds);
  if (rule.time == TimeRule::whole_seconds) return f * (rate * std::trunc(s.seconds));
  const auto r = static_cast<float>(rate), seconds = static_cast<float>(s.seconds);
  const auto number = static_cast<float>(frame);
  if (rule.time == TimeRule::product_f32) return rounded(number, rounded(r, seconds));
  return rounded(rounded(number, seconds), r);
}

int64_t truncated(double position) {
  if (!(position < 0x1p62)) fail(where, "expected positions that fit 64 bits, got ", position);
  return static_cast<int64_t>(position);
}

double bounded(double position) {
  if (!(position <= 0x1p53)) fail(where, "expected positions of at most 2^53, got ", position);
  return position;
}

}  // namespace

template <class T>
T distance(const Segment& s, const SegmentRule& rule, int64_t frame) {
  const TimeRule time = s.medium == Medium::video ? rule.time : TimeRule::frames;
  if (time == TimeRule::frames) return static_cast<T>(frame);
  if (time == TimeRule::real_f32) bounded(rule.tokens_per_second * s.seconds);
  const double real = real_distance(s, rule, frame);
  return static_cast<T>(time == TimeRule::real_f32 ? bounded(real)
                                                   : static_cast<double>(truncated(real)));
}

}  // namespace planning

Fields SegmentRule::fields() {
  using S = SegmentRule;
  return {{"spatial_merge", &S::spatial_merge, "patches per token along height and width"},
          {"temporal_merge", &S::temporal_merge, "frames per token of a video"},
          {"split_frames", &S::split_frames, "every frame of a video is a block of its own"},
          {"time", &S::time, "how far apart the frames of a video are"},
          {"tokens_per_second", &S::tokens_per_second, "positions per second of video"},
          {"counter", &S::counter, "where text goes on after an image or a video"},
          {"interleave", &S::interleave, "how a video alternates with the sound inside it"},
          {"chunk", &S::chunk, "positions of a chunk of them"}};
}

std::vector<Preset<SegmentRule>> SegmentRule::presets() {
  const SegmentRule qwen2{.spatial_merge = 2};
  SegmentRule qwen25 = qwen2, qwen3 = qwen2, ernie = qwen2;
  qwen25.time = TimeRule::product_f32, qwen25.tokens_per_second = 2;
  qwen3.split_frames = true;
  ernie.temporal_merge = 2;
  SegmentRule omni25 = qwen2, omni3 = qwen2;
  omni25.counter = omni3.counter = CounterRule::largest;
  omni25.time = TimeRule::seconds_f32, omni25.tokens_per_second = 25;
  omni3.time = TimeRule::real_f32, omni3.tokens_per_second = 13;
  omni3.interleave = Interleave::order;
  return {{"tokens", "sizes count tokens, not patches; frames are one apart", {}},
          {"qwen2-vl", "2 x 2 patches are a token; frames are one apart", qwen2},
          {"qwen2.5-vl", "the same, and frames are 2 positions per second apart", qwen25},
          {"qwen3-vl", "2 x 2 patches; a block for each frame, timestamps are text", qwen3},
          {"glm-4v", "as qwen3-vl", qwen3},
          {"ernie-4.5-vl", "2 x 2 patches, and 2 frames of a video, are a token", ernie},
          {"glm-image", "sizes count tokens; drawn() goes on after the prompt", {}},
          {"qwen2.5-omni", "25 positions per second; sound in chunks of 2 seconds", omni25},
          {"qwen3-omni", "13 positions per second, real numbers; sound in order", omni3}};
}

int64_t segment_tokens(const Segment& s, const SegmentRule& rule) {
  check_rule(rule);
  check_choices(where, s.medium, "medium");
  if (s.medium == Medium::text || s.medium == Medium::audio) {
    check_at_least(where, s.medium == Medium::text ? "text tokens" : "audio tokens", s.tokens, 0);
    return s.tokens;
  }
  if (!is_finite(s.seconds) || s.seconds < 0)
    fail(where, "expected seconds of at least 0, got ", s.seconds);
  check_at_least(where, "sound", s.sound, 0);
  if (s.sound > 0 && (s.medium != Medium::video || rule.split_frames))
    fail(where, "expected sound inside a video that is one block, got another");
  const int64_t tokens = merged(s, rule).tokens();
  return s.sound > 0 ? sum(where, "tokens", tokens, sum(where, "tokens", s.sound, 4)) : tokens;
}

namespace {

template <class T>
Walk<T> walked(std::span<const Segment> list, const SegmentRule& rule) {
  check_rule(rule);
  int64_t tokens = 0;
  for (const Segment& s : list) tokens = sum(where, "tokens", tokens, segment_tokens(s, rule));
  Walk<T> walk(tokens, rule);
  for (const Segment& s : list) walk.run(s);
  return walk;
}

}  // namespace

SegmentPositions segments(std::span<const Segment> list, const SegmentRule& rule) {
  if (rule.time == TimeRule::real_f32)
    fail(where, "expected a rule of whole positions, got real-f32: segment_coordinates() plans it");
  auto walk = walked<int64_t>(list, rule);
  const int64_t tokens = walk.ids().tokens;
  const int64_t delta = tokens ? plus(walk.largest(), int64_t{1}) - tokens : 0;
  return {std::move(walk.ids()), delta, walk.counter()};
}

SegmentCoordinates segment_coordinates(std::span<const Segment> list, const SegmentRule& rule) {
  auto walk = walked<float>(list, rule);
  const auto& ids = walk.ids();
  const auto tokens = static_cast<float>(ids.tokens);
  planning::bounded(static_cast<double>(walk.largest()));
  return {{3, 1, ids.tokens, {ids.ids.begin(), ids.ids.end()}},
          ids.tokens ? plus(walk.largest(), 1.0F) - tokens : 0,
          walk.counter()};
}

PlannedPositions drawn(std::span<const Segment> images, int64_t first) {
  std::vector<Segment> all(images.rbegin(), images.rend());
  for (const Segment& s : all)
    if (s.medium != Medium::image) fail("drawn", "expected images, got another segment");
  all.push_back(Segment::text(1));
  PlannedPositions out = segments(all).positions;
  for (int64_t& id : out.ids) id = sum("drawn", "positions", id, first);
  return out;
}

}  // namespace posenc
