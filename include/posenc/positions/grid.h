// grid.h: integer positions of the patches of an image or a video.
//
//   2 x 3, axes yx     y  0 0 0 1 1 1        4 x 4, merge 2     y  0 0 1 1 0 0 1 1 2 2 3 3 ...
//                      x  0 1 2 0 1 2                           x  0 1 0 1 2 3 2 3 0 1 0 1 ...
//
// Tokens are in row order; with `merge`, in blocks of merge x merge patches, the order of vision
// encoders that merge such a block into one token (Qwen, GLM).
#pragma once

#include <string_view>

#include "posenc/positions.h"
#include "posenc/type.h"

namespace POSENC_PUBLIC posenc {

// Which of the two sides is the first axis. Tokens are in row order in either case.
enum class AxisOrder : uint8_t { yx, xy };
constexpr auto enum_names(AxisOrder) { return names({"yx", "xy"}); }

struct Grid {
  int64_t frames = 1, height = 1, width = 1;
  AxisOrder order = AxisOrder::yx;
  bool time = false;              // adds a first axis that counts frames: (t, y, x)
  int64_t merge = 1;              // side of a merge block; divides height and width
  int64_t first = 0;              // the first coordinate: 1 for Llama-4
  int64_t before = 0, after = 0;  // class or register tokens around the patches
  int64_t extra_at = 0;           // the position of those, on every axis
};

PlannedPositions grid(const Grid& grid);

}  // namespace posenc
