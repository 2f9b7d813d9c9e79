// image_axes.h: positions of text with images on axes of their own (HunYuan-VL).
//
//   axes     sequence .. | width | height | image
//   text     the token's place in the sequence, on every axis
//   patches  that place, then the column, the row, and which image it is, each from 0 on
//
// Each row of an image ends in a token of its own, in the column after the last. A token before the
// image and one after it are text.
#pragma once

#include "posenc/positions/segments.h"

namespace POSENC_PUBLIC posenc {

struct ImageAxes {
  int64_t axes = 4;           // at least 3: those before the last three hold the sequence
  int64_t spatial_merge = 2;  // patches per token along height and width
  int64_t first_image = 0;    // transformers counts images through all rows of a batch
};

// Segments of text and images; [axes, 1, tokens].
SegmentPositions image_axes(std::span<const Segment> list, const ImageAxes& rule = {});

}  // namespace posenc
