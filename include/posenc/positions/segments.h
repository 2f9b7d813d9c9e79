// segments.h: positions on three axes (t, h, w) of text mixed with images, videos and sound.
//
// A counter walks along the sequence. Text stands at the counter on all axes. A block of vision
// tokens that begins at counter c stands at (c + frame, c + row, c + column), and then the counter
// moves on:
//
//   2 text, 1 x 2 x 3 image, 2 text
//   t  0 1 | 2 2 2 2 2 2 | 5 6
//   h  0 1 | 2 2 2 3 3 3 | 5 6
//   w  0 1 | 2 3 4 2 3 4 | 5 6
//
// Sound stands as text does. Inside a video (Qwen-Omni) both begin at the same counter, and their
// tokens alternate as time goes by; the two tokens before them and the two after are of the block.
#pragma once

#include <span>

#include "posenc/field.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

enum class Medium : uint8_t { text, image, video, audio };
constexpr auto enum_names(Medium) { return names({"text", "image", "video", "audio"}); }

// A run of text tokens, or a grid of vision patches as a processor's grid_thw gives it.
struct Segment {
  Medium medium = Medium::text;
  int64_t tokens = 0;                         // of text or audio
  int64_t frames = 1, height = 0, width = 0;  // of an image or a video
  double seconds = 1;                         // of a video: from one frame of the grid to the next
  int64_t sound = 0;                          // of a video: tokens of audio inside it

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

// Where the counter goes after a block of vision tokens at c.
//   sides    c + max(height, width): transformers, llama.cpp. Text may then stand at positions
//            that a long video has already used on axis t.
//   largest  one past the largest position on any axis: vLLM.
enum class CounterRule : uint8_t { sides, largest };
constexpr auto enum_names(CounterRule) { return names({"sides", "largest"}); }

// How far frame f stands from frame 0, with s seconds between frames and r tokens per second.
//   frames         f: Qwen2-VL, and all that do not know seconds
//   whole-seconds  f * (r * trunc(s)): transformers 4; half a second gives 0
//   product-f32    trunc(f * (r * s)), each product rounded to f32: transformers 5
//   product        trunc(f * (r * s)) in f64: vLLM. The last two differ where f r s is whole:
//                  s = 1/3, r = 25 puts frame 3 at 25 in f32, at 24 in f64.
//   seconds-f32    trunc((f * s) * r), each product rounded to f32: Qwen2.5-Omni
//   real-f32       (f * s) * r, not cut to whole numbers: Qwen3-Omni. All that follows is real too,
//                  and segment_coordinates() plans it.
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

// How a video's tokens and those of its sound alternate.
//   chunks  those of `chunk` positions of the video, then of the sound: Qwen2.5-Omni. The two
//           tokens before all stand at one place, and so do the two after.
//   order   by axis t, the video first: Qwen3-Omni.
enum class Interleave : uint8_t { chunks, order };
constexpr auto enum_names(Interleave) { return names({"chunks", "order"}); }

struct SegmentRule {
  int64_t spatial_merge = 1;   // patches per token along height and width
  int64_t temporal_merge = 1;  // frames per token, of videos only
  bool split_frames = false;   // each frame is a block of its own: the counter moves after each
  TimeRule time = TimeRule::frames;
  double tokens_per_second = 1;
  CounterRule counter = CounterRule::sides;
  Interleave interleave = Interleave::chunks;
  int64_t chunk = 50;  // positions

  static Fields fields();
  // As transformers does it: qwen2-vl, qwen2.5-vl, qwen3-vl, glm-4v, ernie-4.5-vl, glm-image,
  // qwen2.5-omni, qwen3-omni. They take grid_thw; for Qwen3-VL and GLM-4V the timestamps between
  // frames are text segments.
  static std::vector<Preset<SegmentRule>> presets();
};

// Tokens of a segment after merging.
int64_t segment_tokens(const Segment& segment, const SegmentRule& rule = {});

struct SegmentPositions {
  PlannedPositions positions;  // [3, 1, tokens]
  int64_t rope_delta = 0;      // largest position + 1 - tokens
  int64_t next = 0;            // where the counter stands at the end
  // While decoding, the token with index i of the sequence stands at i + rope_delta on all axes.
};
SegmentPositions segments(std::span<const Segment> list, const SegmentRule& rule = {});

// The same in real numbers, computed in f32, for any rule.
struct SegmentCoordinates {
  PlannedCoordinates positions;
  double rope_delta = 0, next = 0;
};
SegmentCoordinates segment_coordinates(std::span<const Segment> list, const SegmentRule& rule = {});

// Where the tokens of images stand while a model draws them (GLM-Image), from `first` on, the next
// of its prompt: the last image first, each a block, then one token that ends them. [3, 1, tokens]
PlannedPositions drawn(std::span<const Segment> images, int64_t first);

}  // namespace posenc
