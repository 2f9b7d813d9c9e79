// head_norm.h: the norm of queries and keys before rotation.
#pragma once

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

// RMS norm of each head before its rotation, over all its features, also in heads that are not
// rotated: x * w / sqrt(mean(x^2) + epsilon).
struct HeadNorm {
  Tensor q{}, k{};        // w, both of one float type, [dim]; rank 0: no norm
  double epsilon = 1e-6;  // the model's rms_norm_eps
  bool one_plus = false;  // 1 + w instead of w: Gemma
};

}  // namespace posenc
