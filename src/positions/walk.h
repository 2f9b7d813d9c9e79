// walk.h: one counter walks along text, images, videos and sound.
#pragma once

#include <algorithm>

#include "posenc/positions/segments.h"
#include "positions/planning.h"

namespace posenc::planning {

// Tokens of a vision segment along t, h and w.
struct VisionBlock {
  int64_t frames, height, width;
  int64_t tokens() const {
    return product("segments", "tokens", frames, product("segments", "tokens", height, width));
  }
  int64_t side() const { return std::max(height, width); }
};

VisionBlock merged(const Segment& segment, const SegmentRule& rule);
// How far a frame stands from frame 0.
template <class T>
T distance(const Segment& segment, const SegmentRule& rule, int64_t frame);

// Whole numbers that fit 64 bits, or f32 as torch adds them.
inline int64_t plus(int64_t a, int64_t b) { return sum("segments", "positions", a, b); }
inline float plus(float a, float b) { return a + b; }

template <class T>
class Walk {
 public:
  Walk(int64_t tokens, const SegmentRule& rule)
      : rule_(rule), ids_(make<T>("segments", 3, 1, tokens)) {}

  void run(const Segment& s) {
    if (s.medium == Medium::text || s.medium == Medium::audio) return text(s.tokens);
    const VisionBlock block = merged(s, rule_);
    if (s.sound > 0) return with_sound(s, block);
    if (!rule_.split_frames || s.medium != Medium::video) return grid(s, block);
    for (int64_t i = 0; i < block.frames; ++i) grid(s, {1, block.height, block.width});
  }

  Planned<T>& ids() { return ids_; }
  T largest() const { return largest_; }
  T counter() const { return counter_; }

 private:
  struct Place {
    T t, h, w;
    T most() const { return std::max({t, h, w}); }
  };

  void put(const Place& at) {
    const T values[] = {at.t, at.h, at.w};
    for (int64_t axis = 0; axis < 3; ++axis)
      ids_.ids[static_cast<size_t>(axis * ids_.tokens + at_)] = values[axis];
    largest_ = std::max(largest_, at.most());
    ++at_;
  }

  Place on_all_axes(int64_t steps) const {
    const T p = plus(counter_, static_cast<T>(steps));
    return {p, p, p};
  }

  void text(int64_t tokens) {
    plus(counter_, static_cast<T>(tokens));
    for (int64_t i = 0; i < tokens; ++i) put(on_all_axes(i));
    counter_ = plus(counter_, static_cast<T>(tokens));
  }

  // Calls f with every place of a block at the counter.
  template <class F>
  void for_each_place(const Segment& s, const VisionBlock& block, const F& f) {
    plus(counter_, static_cast<T>(block.side()));
    for (int64_t frame = 0; frame < block.frames; ++frame) {
      const T t = plus(counter_, distance<T>(s, rule_, frame));
      for (int64_t h = 0; h < block.height; ++h)
        for (int64_t w = 0; w < block.width; ++w)
          f(Place{t, plus(counter_, static_cast<T>(h)), plus(counter_, static_cast<T>(w))});
    }
  }

  void grid(const Segment& s, const VisionBlock& block) {
    if (block.tokens() == 0) return;
    T most = counter_;
    for_each_place(s, block, [&](const Place& at) { put(at), most = std::max(most, at.most()); });
    const bool sides = rule_.counter == CounterRule::sides;
    counter_ = sides ? plus(counter_, static_cast<T>(block.side())) : plus(most, T{1});
  }

  // Puts a run of places; the counter is one past the largest of the run put last.
  void put_run(std::span<const Place> run) {
    T most = counter_;
    for (size_t i = 0; i < run.size(); ++i) {
      put(run[i]);
      most = i == 0 ? run[i].most() : std::max(most, run[i].most());
    }
    if (!run.empty()) end_ = plus(most, T{1});
  }

  void with_sound(const Segment& s, const VisionBlock& block) {
    const bool chunks = rule_.interleave == Interleave::chunks;
    const auto two = [&] {  // at one place, or one after the other
      put(on_all_axes(0)), put(on_all_axes(chunks ? 0 : 1));
      counter_ = plus(counter_, T(chunks ? 1 : 2));
    };
    two();
    std::vector<Place> video, sound;
    for_each_place(s, block, [&](const Place& at) { video.push_back(at); });
    for (int64_t i = 0; i < s.sound; ++i) sound.push_back(on_all_axes(i));
    end_ = counter_;
    chunks ? alternate(video, sound) : merge(video, sound);
    counter_ = end_;
    two();
  }

  // Where each chunk ends. A token opens at most one: after a long jump, as transformers has it,
  // tokens of one frame open one after the other until the chunk has caught up.
  std::vector<size_t> chunk_ends(std::span<const Place> run) const {
    std::vector<size_t> out;
    T limit = plus(counter_, static_cast<T>(rule_.chunk));
    for (size_t i = 0; i < run.size(); ++i)
      if (run[i].t >= limit) out.push_back(i), limit = plus(limit, static_cast<T>(rule_.chunk));
    out.push_back(run.size());
    return out;
  }

  void alternate(std::span<const Place> video, std::span<const Place> sound) {
    const auto a = chunk_ends(video), b = chunk_ends(sound);
    const auto piece = [](std::span<const Place> run, const std::vector<size_t>& ends, size_t j) {
      const size_t first = j == 0 ? 0 : ends[j - 1];
      return run.subspan(first, ends[j] - first);
    };
    for (size_t j = 0; j < std::max(a.size(), b.size()); ++j) {
      if (j < a.size()) put_run(piece(video, a, j));
      if (j < b.size()) put_run(piece(sound, b, j));
    }
  }

  void merge(std::span<const Place> video, std::span<const Place> sound) {
    while (!video.empty() && !sound.empty()) {
      auto& next = video[0].t <= sound[0].t ? video : sound;
      put_run(next.first(1));
      next = next.subspan(1);
    }
    put_run(video), put_run(sound);
  }

  SegmentRule rule_;
  Planned<T> ids_;
  T counter_ = 0, largest_ = 0, end_ = 0;
  int64_t at_ = 0;
};

}  // namespace posenc::planning
