// masked.h: positions of the pixels of padded images, counted by a mask (DETR and derived models).
//
//   y of a pixel = number of non-padding pixels in its column, up to its row; x likewise
//   normalize      c = (c + shift) / (last c of the column or row + 1e-6) * scale
#pragma once

#include "posenc/field.h"
#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

struct Masked {
  bool normalize = true;
  double scale = 6.283185307179586;  // 2 pi
  double shift = 0;                  // with normalize

  static std::vector<Preset<Masked>> presets();
};

// mask: i32 or i64 [rows, height, width], 1 for a pixel, 0 for padding. [2, rows, height x width],
// y before x, pixels row by row.
PlannedCoordinates masked(const Tensor& mask, const Masked& rule = {});

}  // namespace posenc
