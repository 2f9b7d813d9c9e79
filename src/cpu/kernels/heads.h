// heads.h: kernels that bring heads to their compute type, normed, and back to any type.
#pragma once

#include "cpu/kernels/rotate.h"

namespace posenc::cpu {

// RMS norm of heads: weights [dim] of the compute type, null where there is none.
struct RmsNorm {
  const void* weights = nullptr;
  double epsilon = 0;
};

// to = the heads of a token in their compute type, each normed, its features side by side. x and to
// may be the same memory.
void read_heads(DType dtype, const Heads& x, int64_t heads, int64_t dim, const RmsNorm& norm,
                const Heads& to);
// The other way, from the type `computed`: rounded once to dtype.
void write_heads(DType computed, const Heads& from, int64_t heads, int64_t dim, DType dtype,
                 const Heads& out);

}  // namespace posenc::cpu
