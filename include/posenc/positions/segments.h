// segments.h: positions on three axes (t, h, w) for text mixed with images, videos and audio.
//
// A counter runs along the sequence. Text tokens have the counter's value on all axes. The vision
// tokens of a block that starts at counter c are at (c + frame, c + row, c + column); then the
// counter advances:
//
//   2 text, 1 x 2 x 3 image, 2 text
//   t  0 1 | 2 2 2 2 2 2 | 5 6
//   h  0 1 | 2 2 2 3 3 3 | 5 6
//   w  0 1 | 2 3 4 2 3 4 | 5 6
//
// Audio counts like text. Inside a video (Qwen-Omni) both start at the same counter, and their
// tokens alternate in time; the two tokens before and the two after belong to the block.
#pragma once

#include <span>

#include "posenc/field.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

enum class Medium : uint8_t { text, image, video, audio };
constexpr auto enum_names(Medium) { return names({"text", "image", "video", "audio"}); }

// A range of text tokens, or a grid of vision patches as in a processor's grid_thw.
struct Segment {
  Medium medium = Medium::text;
  int64_t tokens = 0;                         // of text or audio
  int64_t frames = 1, height = 0, width = 0;  // of an image or a video
  double seconds = 1;                         // of a video: between frames of the grid
  int64_t sound = 0;                          // of a video: audio tokens inside it

  static Segment text(int64_t tokens) { return {.tokens = tokens}; }
  static Segment image(int64_t height, int64_t width) {
    return {.medium = Medium::image, .height = height, .width = width};
  }
  static Segment video(int64_t frames, int64_t height, int64_t width, double seconds = 1,
                       int64_t sound = 0) {
    return {Medium::video, 0, frames, height, width, seconds, sound};
  }
  static Segment audio(int64_t tokens) { return {.medium = Medium::audio, .tokens = tokens}; }
};

// The counter after a block of vision tokens at c.
//   sides    c + max(height, width): transformers, llama.cpp. Text may then have positions
//            that a long video has already used on axis t.
//   largest  one more than the largest position on any axis: vLLM.
enum class CounterRule : uint8_t { sides, largest };
constexpr auto enum_names(CounterRule) { return names({"sides", "largest"}); }

// The distance of frame f from frame 0, with s seconds between frames and r tokens per second.
//   frames         f: Qwen2-VL, and all models without time stamps
//   whole-seconds  f * (r * trunc(s)): transformers 4; half a second gives 0
//   product-f32    trunc(f * (r * s)), each product rounded to f32: transformers 5
//   product        trunc(f * (r * s)) in f64: vLLM. The last two differ if f r s is an integer:
//                  with s = 1/3, r = 25, frame 3 is at 25 in f32 and at 24 in f64.
//   seconds-f32    trunc((f * s) * r), each product rounded to f32: Qwen2.5-Omni
//   real-f32       (f * s) * r, not truncated: Qwen3-Omni. All later positions are real too; use
//                  segment_coordinates().
enum class TimeRule : uint8_t {
  frames,
  whole_seconds,
  product_f32,
  product,
  seconds_f32,
  real_f32
};
constexpr auto enum_names(TimeRule) {
  return names({"frames", "whole-seconds", "product-f32", "product", "seconds-f32", "real-f32"});
}

// How the tokens of a video and of its audio alternate.
//   chunks  `chunk` positions of video, then of audio: Qwen2.5-Omni. The two tokens before all
//           of them share a position, and so do the two after.
//   order   by axis t, the video first: Qwen3-Omni.
enum class Interleave : uint8_t { chunks, order };
constexpr auto enum_names(Interleave) { return names({"chunks", "order"}); }

struct SegmentRule {
  int64_t spatial_merge = 1;   // patches per token along height and width
  int64_t temporal_merge = 1;  // frames per token, of videos only
  bool split_frames = false;   // each frame is a separate block: the counter advances after each
  TimeRule time = TimeRule::frames;
  double tokens_per_second = 1;
  CounterRule counter = CounterRule::sides;
  Interleave interleave = Interleave::chunks;
  int64_t chunk = 50;  // positions

  static Fields fields();
  // As in transformers: qwen2-vl, qwen2.5-vl, qwen3-vl, glm-4v, ernie-4.5-vl, glm-image,
  // qwen2.5-omni, qwen3-omni. They take grid_thw; for Qwen3-VL and GLM-4V the timestamps between
  // frames are text segments.
  static std::vector<Preset<SegmentRule>> presets();
};

// Tokens of a segment after merging.
int64_t segment_tokens(const Segment& segment, const SegmentRule& rule = {});

struct SegmentPositions {
  PlannedPositions positions;  // [3, 1, tokens]
  int64_t rope_delta = 0;      // largest position + 1 - tokens
  int64_t next = 0;            // the counter at the end
  // In decoding, the token with index i of the sequence is at i + rope_delta on all axes.
};
SegmentPositions segments(std::span<const Segment> list, const SegmentRule& rule = {});

// The same with real positions, computed in f32, for any rule.
struct SegmentCoordinates {
  PlannedCoordinates positions;
  double rope_delta = 0, next = 0;
};
SegmentCoordinates segment_coordinates(std::span<const Segment> list, const SegmentRule& rule = {});

// Positions of images that a model generates (GLM-Image), starting at `first`, the position after
// the prompt: the last image first, each a block, then one end token. [3, 1, tokens]
PlannedPositions drawn(std::span<const Segment> images, int64_t first);

}  // namespace posenc
