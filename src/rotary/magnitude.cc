// magnitude.cc: factors on queries and keys that depend on the position.
#include "posenc/rotary/magnitude.h"

#include <cmath>

namespace posenc {

Fields XPos::fields() {
  return {{"scale_base", &XPos::scale_base, "positions in which z_k applies once"},
          {"center", &XPos::center, "the position where the factor is 1"}};
}

void XPos::check() const {
  check_positive(name, "decay.scale_base", scale_base);
  check_finite(name, "decay.center", center);
}

Fields LogTemperature::fields() {
  using S = LogTemperature;
  return {{"scale", &S::scale, "of the logarithm"},
          {"floor", &S::floor, "positions that share a factor"},
          {"offset", &S::offset, "added to the position first"}};
}

void LogTemperature::check() const {
  check_finite(name, "temperature.scale", scale);
  check_positive(name, "temperature.floor", floor);
  check_finite(name, "temperature.offset", offset);
}

double LogTemperature::factor(double position) const {
  return 1 + scale * std::log1p(std::floor((position + offset) / floor));
}

}  // namespace posenc
