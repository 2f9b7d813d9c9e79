// sampled.h: positions of image patches on the grid of a learned table.
//
//   row t of m, table of n rows     (t + 1/2) n / m - 1/2          patch centres aligned
//                      corners      t (n - 1) / (m - 1)            first and last patches aligned
//
// For the scheme learned-grid, which interpolates in such a table: images of any size, one per
// batch row, or of many sizes one after the other.
#pragma once

#include "posenc/positions/grid.h"

namespace POSENC_PUBLIC posenc {

struct Sampling {
  int64_t height = 1, width = 1;  // of the table
  bool corners = false;           // align_corners=True: Qwen3-VL
  int64_t merge = 1;              // side of a merge block; patches are in block order
  int64_t before = 0;             // class tokens before each image, at y = -1, -2, ...
};

// Images or videos one after the other; all frames of a video have the same positions. [2, 1,
// tokens], y before x.
struct ImageSize {
  int64_t frames = 1, height = 1, width = 1;
};
PlannedCoordinates sampled(const std::vector<ImageSize>& images, const Sampling& table);

}  // namespace posenc
