// rotate.h: the kernel that turns pairs of features.
#pragma once

#include "base/limits.h"
#include "orders/rotary_span.h"
#include "posenc/tensor.h"

namespace posenc::cpu {

// Feature f of head h of token t lies at data + t * token + h * head + f * feature, in elements.
struct Heads {
  void* data;
  int64_t token, head, feature;
};

// What turns a pair: cosine k of token t lies at cosines + t * token + k, its sine `sines` further,
// in elements of the compute type, both times whatever magnitude there is.
struct Angles {
  const void* cosines;
  int64_t sines;
  int64_t token;      // 0: one row turns all tokens
  bool back = false;  // to the other side: sines change their sign
};

// out = x rotated, (a, b) -> (a cos - b sin, a sin + b cos), for the features of every head that
// the span names. x and out may be the same memory; each result is computed in the compute type and
// rounded once. fetch_ahead: x lies in memory rather than in a cache.
using RotateKernel = void (*)(const RotarySpan& span, const Heads& x, const Heads& out,
                              int64_t tokens, int64_t heads, const Angles& by, bool fetch_ahead);
// For elements of a type, in a layout, which takes the place of the span's.
RotateKernel rotate_kernel(DType dtype, Layout layout);

}  // namespace posenc::cpu
