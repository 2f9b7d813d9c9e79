// segments.cc: one counter walks along text, images and videos.
#include "posenc/positions/segments.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "positions/planning.h"

namespace posenc {
namespace {

using namespace planning;

constexpr const char* where = "segments";

void check_rule(const SegmentRule& rule) {
  check_choices(where, rule);
  check_at_least(where, "spatial_merge", rule.spatial_merge, 1);
  check_at_least(where, "temporal_merge", rule.temporal_merge, 1);
  if (!is_finite(rule.tokens_per_second) || rule.tokens_per_second < 0)
    fail(where, "expected tokens_per_second of at least 0, got ", rule.tokens_per_second);
}

int64_t divided(const char* what, int64_t size, int64_t by) {
  check_at_least(where, what, size, 0);
  if (size % by != 0) fail(where, "expected ", what, " divisible by ", by, ", got ", size);
  return size / by;
}

// Tokens of a vision segment along t, h and w.
struct Block {
  int64_t frames, height, width;
  int64_t tokens() const {
    return product(where, "tokens", frames, product(where, "tokens", height, width));
  }
  int64_t side() const { return std::max(height, width); }
};

Block merged(const Segment& s, const SegmentRule& rule) {
  return {divided("frames", s.frames, s.medium == Medium::video ? rule.temporal_merge : 1),
          divided("height", s.height, rule.spatial_merge),
          divided("width", s.width, rule.spatial_merge)};
}

int64_t truncated(double position) {
  if (!(position < 0x1p62)) fail(where, "expected positions that fit 64 bits, got ", position);
  return static_cast<int64_t>(position);
}

// How far a frame stands from frame 0.
int64_t distance(const Segment& s, const SegmentRule& rule, int64_t frame) {
  const TimeRule time = s.medium == Medium::video ? rule.time : TimeRule::frames;
  if (time == TimeRule::frames) return frame;
  const double rate = rule.tokens_per_second, f = static_cast<double>(frame);
  if (time == TimeRule::product) return truncated(f * (rate * s.seconds));
  if (time == TimeRule::whole_seconds) return truncated(f * (rate * std::trunc(s.seconds)));
  const float step = static_cast<float>(rate) * static_cast<float>(s.seconds);
  return truncated(static_cast<float>(frame) * step);
}

class Walk {
 public:
  Walk(int64_t tokens, const SegmentRule& rule)
      : rule_(rule), out_(make<int64_t>(where, 3, 1, tokens)) {}

  void text(const Segment& s) {
    const int64_t first = counter_;
    advance(s.tokens);
    for (int64_t p = first; p < counter_; ++p) put(p, p, p);
  }

  void vision(const Segment& s) {
    const Block block = merged(s, rule_);
    if (!rule_.split_frames || s.medium != Medium::video) return grid(s, block);
    for (int64_t i = 0; i < block.frames; ++i) grid(s, {1, block.height, block.width});
  }

  SegmentPositions result() && {
    const int64_t tokens = out_.tokens;
    const int64_t delta = tokens ? sum(where, "positions", largest_, 1) - tokens : 0;
    return {std::move(out_), delta};
  }

 private:
  void put(int64_t t, int64_t h, int64_t w) {
    const int64_t values[] = {t, h, w};
    for (int64_t axis = 0; axis < 3; ++axis)
      out_.ids[static_cast<size_t>(axis * out_.tokens + at_)] = values[axis];
    largest_ = std::max({largest_, t, h, w});
    ++at_;
  }

  void advance(int64_t steps) { counter_ = sum(where, "positions", counter_, steps); }

  void grid(const Segment& s, const Block& block) {
    if (block.tokens() == 0) return;
    sum(where, "positions", counter_, block.side());
    int64_t last = 0;
    for (int64_t f = 0; f < block.frames; ++f) {
      last = distance(s, rule_, f);
      const int64_t t = sum(where, "positions", counter_, last);
      for (int64_t h = 0; h < block.height; ++h)
        for (int64_t w = 0; w < block.width; ++w) put(t, counter_ + h, counter_ + w);
    }
    const bool sides = rule_.counter == CounterRule::sides;
    advance(sides ? block.side() : std::max(block.side(), sum(where, "positions", last, 1)));
  }

  SegmentRule rule_;
  PlannedPositions out_;
  int64_t counter_ = 0, largest_ = 0, at_ = 0;
};

}  // namespace

Fields SegmentRule::fields() {
  using S = SegmentRule;
  return {{"spatial_merge", &S::spatial_merge, "patches per token along height and width"},
          {"temporal_merge", &S::temporal_merge, "frames per token of a video"},
          {"split_frames", &S::split_frames, "every frame of a video is a block of its own"},
          {"time", &S::time, "how far the frames of a video stand apart"},
          {"tokens_per_second", &S::tokens_per_second, "positions per second of video"},
          {"counter", &S::counter, "where text goes on after an image or a video"}};
}

std::vector<Preset<SegmentRule>> SegmentRule::presets() {
  const SegmentRule qwen2{.spatial_merge = 2};
  SegmentRule qwen25 = qwen2, qwen3 = qwen2, ernie = qwen2;
  qwen25.time = TimeRule::product_f32, qwen25.tokens_per_second = 2;
  qwen3.split_frames = true;
  ernie.temporal_merge = 2;
  return {{"tokens", "sizes count tokens, not patches; frames are one apart", {}},
          {"qwen2-vl", "2 x 2 patches are a token; frames are one apart", qwen2},
          {"qwen2.5-vl", "the same, and frames are 2 positions per second apart", qwen25},
          {"qwen3-vl", "2 x 2 patches; a block for each frame, timestamps are text", qwen3},
          {"glm-4v", "as qwen3-vl", qwen3},
          {"ernie-4.5-vl", "2 x 2 patches, and 2 frames of a video, are a token", ernie}};
}

int64_t segment_tokens(const Segment& s, const SegmentRule& rule) {
  check_rule(rule);
  check_choices(where, s.medium, "medium");
  if (s.medium == Medium::text) {
    check_at_least(where, "text tokens", s.tokens, 0);
    return s.tokens;
  }
  if (!is_finite(s.seconds) || s.seconds < 0)
    fail(where, "expected seconds of at least 0, got ", s.seconds);
  return merged(s, rule).tokens();
}

SegmentPositions segments(std::span<const Segment> list, const SegmentRule& rule) {
  check_rule(rule);
  int64_t tokens = 0;
  for (const Segment& s : list) tokens = sum(where, "tokens", tokens, segment_tokens(s, rule));
  Walk walk(tokens, rule);
  for (const Segment& s : list) s.medium == Medium::text ? walk.text(s) : walk.vision(s);
  return std::move(walk).result();
}

}  // namespace posenc
