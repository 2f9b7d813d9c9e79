// boxes.h: positions of words on a page, from their boxes (LayoutLM).
#pragma once

#include "posenc/positions.h"

namespace POSENC_PUBLIC posenc {

// box: i32 or i64 [rows, tokens, 4], the sides x0, y0, x1, y1 of a word's box. [6, rows, tokens]:
// those, then height and width, at least 0 and at most `most` (LayoutLMv3 clips them so; LayoutLM
// and LayoutLMv2 fail where that would change one).
PlannedPositions boxes(const Tensor& box, int64_t most = 1023);

}  // namespace posenc
