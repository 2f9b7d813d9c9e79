// boxes.h: positions of words on a page, from their boxes (LayoutLM).
#pragma once

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// box: i32 or i64 [rows, tokens, 4], the sides x0, y0, x1, y1 of a word's box. Returns [6, rows,
// tokens]: the sides, then height and width, clipped to 0 .. `most` (as in LayoutLMv3; LayoutLM and
// LayoutLMv2 fail if one is outside).
PlannedPositions boxes(const Tensor& box, int64_t most = 1023);

}  // namespace posenc
