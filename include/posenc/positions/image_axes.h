// image_axes.h: positions of text and images, with separate axes for images (HunYuan-VL).
//
//   axes     sequence .. | width | height | image
//   text     the token's index in the sequence, on every axis
//   patches  that index, then column, row and number of the image, each counted from 0
//
// Each row of an image ends with an extra token, in the column after the last. A token before the
// image and one after it count as text.
#pragma once

#include "posenc/positions/segments.h"

namespace POSENC_PUBLIC posenc {

struct ImageAxes {
  int64_t axes = 4;           // at least 3; all but the last three are the sequence index
  int64_t spatial_merge = 2;  // patches per token along height and width
  int64_t first_image = 0;    // transformers numbers images across all rows of a batch
};

// Segments of text and images; [axes, 1, tokens].
SegmentPositions image_axes(std::span<const Segment> list, const ImageAxes& rule = {});

}  // namespace posenc
