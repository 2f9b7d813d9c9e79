// overlap.h: whether views share memory, told from their strides.
//
// Both answers are exact, except where some thousand steps of a search find none: then it is yes.
// Views lie within 2^60 bytes, which check_memory() makes sure of.
#pragma once

#include "posenc/tensor.h"

namespace posenc {

// Whether two elements of the view lie at one address.
bool repeats(const Tensor& t);

// Whether some byte belongs to both views.
bool overlap(const Tensor& a, const Tensor& b);

}  // namespace posenc
