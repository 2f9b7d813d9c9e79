// slices.h: positions (t, h, w) of text with images that come in slices (MiniCPM-V 4.7).
//
// An image is a small copy of it, and slices that show its parts at full size. Both lie on one
// canvas that begins at the counter c, t = c: a slice where its part is, the copy stretched over
// all of it. Tokens that mark things stand at their corners:
//
//   <image> copy </image>  <slice> part </slice> .. \n ..
//
//   <image>              (c, c - 1, c - 1)               </image>   far corner, one outside
//   <slice>, </slice>    first and last token of the slice
//   \n after a row       its last line, one to the right of the canvas
//   \n after the image   (c, c, c)
//
// Then the counter is one past the longer side of the canvas.
#pragma once

#include <span>

#include "posenc/positions/segments.h"

namespace POSENC_PUBLIC posenc {

// Sizes count patches. An image without slices is a copy alone.
struct SlicedImage {
  int64_t text = 0;  // tokens of text before it
  int64_t height = 0, width = 0;
  int64_t rows = 0, columns = 0;  // of slices
  int64_t slice_height = 0, slice_width = 0;
  int64_t newlines = 0;  // tokens \n right after it
};

// after: tokens of text after the last image. merge: patches per token along height and width, 4,
// or 2 with downsample_mode 4x.
SegmentPositions sliced(std::span<const SlicedImage> images, int64_t after, int64_t merge = 4);

}  // namespace posenc
