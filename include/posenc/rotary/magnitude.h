// magnitude.h: factors on queries and keys that depend on the position.
#pragma once

#include <cmath>

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

struct NoDecay {
  static constexpr std::string_view name = "none";
  static constexpr auto fields() { return std::tuple{}; }
  void check() const {}
};

// xPos (Sun et al., 2022): pair k of q is multiplied by z_k^((p - center) / scale_base), that of k
// by the inverse, z_k = (2k + 0.4 D) / (1.4 D); scores then decay with the distance. Keys cached
// with one center do not fit queries of another.
struct XPos {
  static constexpr std::string_view name = "xpos";
  double scale_base = 512, center = 0;
  static constexpr auto fields() {
    return std::tuple{Field{"scale_base", &XPos::scale_base, "positions in which z_k applies once"},
                      Field{"center", &XPos::center, "the position where the factor is 1"}};
  }
  void check() const {
    check_positive(name, "decay.scale_base", scale_base);
    check_finite(name, "decay.center", center);
  }
};

using Decay = std::variant<NoDecay, XPos>;

struct NoTemperature {
  static constexpr std::string_view name = "none";
  static constexpr auto fields() { return std::tuple{}; }
  void check() const {}
};

// q, all of its features, times 1 + scale ln(1 + floor((p + offset) / floor)): Llama 4 (on layers
// without rotation: rotary_dim 0), Ministral 3 (floor: the original length, offset 0).
struct LogTemperature {
  static constexpr std::string_view name = "log";
  double scale = 0.1, floor = 8192, offset = 1;
  static constexpr auto fields() {
    using S = LogTemperature;
    return std::tuple{Field{"scale", &S::scale, "of the logarithm"},
                      Field{"floor", &S::floor, "positions that share a factor"},
                      Field{"offset", &S::offset, "added to the position first"}};
  }
  void check() const {
    check_finite(name, "temperature.scale", scale);
    check_positive(name, "temperature.floor", floor);
    check_finite(name, "temperature.offset", offset);
  }
  double factor(double position) const {
    return 1 + scale * std::log1p(std::floor((position + offset) / floor));
  }
};

using Temperature = std::variant<NoTemperature, LogTemperature>;

}  // namespace posenc
