// rotate.h: the kernel that turns pairs of features.
#pragma once

#include "posenc/layout.h"
#include "posenc/tensor.h"

namespace posenc::cpu {

// Feature f of head h of token t lies at data + t * token + h * head + f * feature, in elements.
struct Heads {
  void* data;
  int64_t token, head, feature;
};

// What turns a pair: cosine k lies at cosines[k], its sine at cosines[k + sines], both of the
// compute type and both times whatever magnitude there is. One row for each token, and for each
// head too when `head` is not 0.
struct Angles {
  const void* const* token;  // where the row of each token begins
  int64_t head = 0;          // from the row of one head to that of the next, in elements
  int64_t sines = 0;         // from a cosine to its sine, in elements
};

// out = x turned: (a, b) -> (a cos - b sin, a sin + b cos) for 2 * pairs features of every head.
// x and out may be the same memory; each result is computed in the compute type and rounded once.
void rotate(DType dtype, Layout layout, int64_t pairs, const Heads& x, const Heads& out,
            int64_t tokens, int64_t heads, const Angles& angles);

}  // namespace posenc::cpu
