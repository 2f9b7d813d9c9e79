// phases.h: angles by which keys are rotated besides those of their position.
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

struct NoPhases {
  static constexpr std::string_view name = "none";
  static Fields fields() { return {}; }
  void check() const {}
};

// A weight: keys are rotated by phase[head, pair] more, in radians from -2 pi to 0; numbers beyond
// count as the nearest of these, and have no gradient (PoPE). One head: all heads share it.
struct LearnedPhases {
  static constexpr std::string_view name = "learned";
  int64_t heads = 1;
  static Fields fields();
  void check() const;
};

using Phases = std::variant<NoPhases, LearnedPhases>;

}  // namespace posenc
