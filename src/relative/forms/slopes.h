// slopes.h: a slope for each head, times the distance or the key.
#pragma once

#include <cmath>

#include "base/half.h"
#include "posenc/relative/alibi.h"
#include "relative/forms/heads.h"

namespace posenc::forms {

POSENC_BOTH inline double rounded(double x, AlibiRounding how) {
  if (how == AlibiRounding::none) return x;
  const auto f32 = static_cast<float>(x);
  return how == AlibiRounding::f16_product ? to_f32(to_f16(f32)) : to_f32(to_bf16(f32));
}

// Slopes come first in the block.
struct Slopes {
  AlibiForm form{};
  bool square_root = false;
  AlibiRounding rounding{};
  const double* block = nullptr;

  // Slope n as it is read.
  POSENC_BOTH double taken(int64_t, double slope) const {
    return rounding == AlibiRounding::bf16 ? rounded(slope, rounding) : slope;
  }
  POSENC_BOTH double at(double query, double key, double*) const {
    const double r = form == AlibiForm::keys ? key : 0 - std::abs(key - query);
    return square_root ? std::copysign(std::sqrt(std::abs(r)), r) : r;
  }
  POSENC_BOTH double bias(int64_t head, double r) const {
    return rounded(block[head] * (rounding == AlibiRounding::bf16 ? rounded(r, rounding) : r),
                   rounding);
  }
  template <class Add>
  POSENC_BOTH void backward(HeadRange heads, double r, const double* g, const Add& add) const {
    each_head(heads, g, [&](int64_t head, double gh) { add(head, gh * r); });
  }
};

}  // namespace posenc::forms
