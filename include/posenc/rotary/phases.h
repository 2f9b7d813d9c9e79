// phases.h: additional angles by which keys are rotated.
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

struct NoPhases {
  static constexpr std::string_view name = "none";
  static Fields fields() { return {}; }
  void check() const {}
};

// A weight: keys are rotated further by phase[head, pair], in radians, clipped to -2 pi .. 0;
// clipped values have no gradient (PoPE). With one head, all heads share it.
struct LearnedPhases {
  static constexpr std::string_view name = "learned";
  int64_t heads = 1;
  static Fields fields();
  void check() const;
};

using Phases = std::variant<NoPhases, LearnedPhases>;

}  // namespace posenc
