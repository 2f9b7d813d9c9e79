// magnitude.h: factors on queries and keys that depend on the position.
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

struct NoDecay {
  static constexpr std::string_view name = "none";
  static Fields fields() { return {}; }
  void check() const {}
};

// xPos (Sun et al., 2022): pair k of q is multiplied by z_k^((p - center) / scale_base), of k by
// the inverse, z_k = (2k + 0.4 D) / (1.4 D), so that scores decay with distance. Cached keys must
// have the same center as the queries.
struct XPos {
  static constexpr std::string_view name = "xpos";
  double scale_base = 512, center = 0;
  static Fields fields();
  void check() const;
};

using Decay = std::variant<NoDecay, XPos>;

struct NoTemperature {
  static constexpr std::string_view name = "none";
  static Fields fields() { return {}; }
  void check() const {}
};

// All features of q times 1 + scale ln(1 + floor((p + offset) / floor)): Llama 4 (on layers
// without rotation: rotary_dim 0), Ministral 3 (floor: the original length, offset 0).
struct LogTemperature {
  static constexpr std::string_view name = "log";
  double scale = 0.1, floor = 8192, offset = 1;
  static Fields fields();
  void check() const;
  double factor(double position) const;
};

using Temperature = std::variant<NoTemperature, LogTemperature>;

}  // namespace posenc
