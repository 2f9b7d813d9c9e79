// axes.h: which coordinate of a token rotates which pair, and with which frequency.
//
// A token of an image or a video has several coordinates. Each pair is rotated by one of them; with
// 8 pairs, sections 3 2 3 and axes T, H, W:
//
//   chunked      T T T H H W W W      Qwen2-VL, GLM-4V: one section after the other
//   alternating  T H W T H W T T      Qwen3-VL: H and W alternate until used up, the rest T
//   ernie        H W H W ... T T T    Ernie 4.5: the first two sections alternate, then the third
//   balanced     T H W T W H W T      openPangu: the axis that has used the smallest share of its
//                                     section, never the same axis twice in a row if another is
//                                     left; in ties of all three, T is last
//   listed       any other order
//
// In these, the frequency of a pair depends only on its index. In vision encoders each axis has
// its own frequencies:
//
//   restart      chunks; the frequencies start again on each axis (Qwen vision, Llama 4, SAM 2)
//   dealt        chunks; the frequencies are dealt out in turn, 0 2 4 .. and 1 3 5 .. (Pixtral)
//   in-turn      axes alternate until used up, frequencies start again on each axis (Kimi-K2.5's
//                MoonViT, EfficientLoFTR): T H W T H W T W
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

// The frequency of a pair is base^(-index / count), or entry `index` of `count`.
struct PairAxis {
  int64_t axis, index, count;
};

using Sections = std::vector<double>;  // pairs of each axis; integers

struct OneAxis {
  static constexpr std::string_view name = "one";
  static Fields fields() { return {}; }
  int64_t axes() const { return 1; }
  std::vector<int64_t> assigned(int64_t pairs) const;  // the axis of each pair
};

enum class SectionOrder : uint8_t {
  chunked,
  alternating,
  ernie,
  balanced,
  restart,
  dealt,
  in_turn
};
constexpr auto enum_names(SectionOrder) {
  return names({"chunked", "alternating", "ernie", "balanced", "restart", "dealt", "in-turn"});
}

template <SectionOrder order>
struct SectionAxes {
  static constexpr std::string_view name = enum_names(order)[static_cast<size_t>(order)];
  Sections sections{};
  static Fields fields() {
    return {{"sections", &SectionAxes::sections, "how many pairs each axis has"}};
  }
  int64_t axes() const { return std::ssize(sections); }
  std::vector<int64_t> assigned(int64_t pairs) const;
};
using Chunked = SectionAxes<SectionOrder::chunked>;
using Alternating = SectionAxes<SectionOrder::alternating>;
// Positions have the order T, H, W; the sections have the order H, W, T, as in Ernie's configs.
using ErnieAxes = SectionAxes<SectionOrder::ernie>;
using Balanced = SectionAxes<SectionOrder::balanced>;
using Restart = SectionAxes<SectionOrder::restart>;
using Dealt = SectionAxes<SectionOrder::dealt>;
using InTurn = SectionAxes<SectionOrder::in_turn>;

struct ListedAxes {
  static constexpr std::string_view name = "listed";
  std::vector<double> of_pair{};
  static Fields fields();
  int64_t axes() const;
  std::vector<int64_t> assigned(int64_t pairs) const;
};

using AxisRule = std::variant<OneAxis, Chunked, Alternating, ErnieAxes, Balanced, Restart, Dealt,
                              InTurn, ListedAxes>;

// Whether each axis has its own frequencies.
bool has_own_frequencies(const AxisRule& rule);
// Axis and frequency of every pair; throws Error if the sections do not match.
std::vector<PairAxis> pair_axes(const AxisRule& rule, int64_t pairs);

}  // namespace posenc
