// window.h: a learned bias for each offset between two tokens of a window.
//
// Tokens are numbered row by row, so positions of queries and keys are 0 to height * width - 1:
//
//   swin     row (dy + height - 1)(2 width - 1) + dx + width - 1 of [entries, heads],
//            d = query - key
//   beit     the same; token 0 is a class token, with three more entries for class -> token,
//            token -> class, class -> class
//   levit    entry |dy| width + |dx| of [heads, entries]
//   maxvit   entry [dy + height - 1, dx + width - 1] of [heads, 2 height - 1, 2 width - 1],
//            d = key - query
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct WindowSize {
  int64_t height, width;
  int64_t tokens() const { return height * width; }
  int64_t offsets() const { return (2 * height - 1) * (2 * width - 1); }
  bool operator==(const WindowSize&) const = default;
};

enum class WindowTable : uint8_t { swin, beit, levit, maxvit };
constexpr auto enum_names(WindowTable) { return names({"swin", "beit", "levit", "maxvit"}); }

struct WindowBias {
  static constexpr std::string_view name = "window";
  static constexpr std::string_view about = "a learned bias for each offset inside a window";
  static constexpr std::string_view used_by = "Swin, BEiT, LeViT, MaxViT";

  int64_t heads = 3;
  int64_t height = 7, width = 7;
  WindowTable table = WindowTable::swin;

  static Fields fields();
  static std::vector<Preset<WindowBias>> presets();
  void check() const;
  WindowSize window() const { return {height, width}; }
  int64_t tokens() const { return window().tokens() + (table == WindowTable::beit ? 1 : 0); }
  int64_t entries() const;
  int64_t entry(int64_t query, int64_t key) const;
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

// How a table is interpolated when the window changes its size.
enum class WindowResize : uint8_t {
  cubic,      // as an image, bicubic
  linear,     // as an image, bilinear
  geometric,  // linear, between offsets with geometrically growing distances (BEiT)
};
constexpr auto enum_names(WindowResize) { return names({"cubic", "linear", "geometric"}); }

// out = the table for a window of another size. table: [offsets of `from` + extra, heads], out:
// [offsets of `to` + extra, heads]; the extra rows at the end (BEiT's three) are copied. Pass a
// table [heads, ...] as a strided view.
void resize_window(const Tensor& table, const Tensor& out, WindowSize from, WindowSize to,
                   WindowResize how);

}  // namespace posenc
