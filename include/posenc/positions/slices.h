// slices.h: positions (t, h, w) of text with sliced images (MiniCPM-V 4.7).
//
// An image is given as a reduced copy and as slices with its parts at full size. Both are on one
// canvas that starts at the counter c, t = c: each slice at the place of its part, the copy
// stretched over the whole canvas. Marker tokens are at the corners:
//
//   <image> copy </image>  <slice> part </slice> .. \n ..
//
//   <image>              (c, c - 1, c - 1)               </image>   far corner, one outside
//   <slice>, </slice>    first and last token of the slice
//   \n after a row       its last line, one to the right of the canvas
//   \n after the image   (c, c, c)
//
// Then the counter advances past the longer side of the canvas.
#pragma once

#include <span>

#include "posenc/positions/segments.h"

namespace POSENC_PUBLIC posenc {

// Sizes are in patches. An image without slices has only the copy.
struct SlicedImage {
  int64_t text = 0;  // text tokens before it
  int64_t height = 0, width = 0;
  int64_t rows = 0, columns = 0;  // of slices
  int64_t slice_height = 0, slice_width = 0;
  int64_t newlines = 0;  // tokens \n right after it
};

// after: text tokens after the last image. merge: patches per token along height and width, 4,
// or 2 with downsample_mode 4x.
SegmentPositions sliced(std::span<const SlicedImage> images, int64_t after, int64_t merge = 4);

}  // namespace posenc
