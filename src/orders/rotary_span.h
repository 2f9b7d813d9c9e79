// rotary_span.h: which features of a head are rotated.
#pragma once

#include "posenc/layout.h"

namespace posenc {

// `pairs` of them from `first` on, in blocks that each have the layout.
struct RotarySpan {
  int64_t dim, first, pairs, blocks;
  Layout layout;
};

}  // namespace posenc
