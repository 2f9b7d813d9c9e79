// magnitudes.h: factors on queries and keys that depend on the position, as data.
#pragma once

#include <cmath>

#include "posenc/rotary/magnitude.h"

namespace posenc {

struct Magnitudes {
  double cos_sin_factor = 1;  // in the rows already
  double turning = 0;         // features that turn
  bool uneven = false;        // cos^2 + sin^2 differ from pair to pair
  std::optional<XPos> decay{};
  std::optional<LogTemperature> temperature{};

  // Whether q and k need different rows, and other ones than those of the table.
  bool any() const { return decay || temperature; }

  // The factor on every feature of q at a position.
  double query(double position) const { return temperature ? temperature->factor(position) : 1; }

  // The factor on pair k of q (or k) at a position, apart from cos_sin_factor.
  double pair(bool is_query, double position, int64_t k) const {
    const double exponent = decay_exponent(position);
    const double factor = exponent == 0 ? 1 : std::exp(exponent * log_decay(k));
    return is_query ? query(position) * factor : 1 / factor;
  }

  // (position - center) / scale_base, or 0 without xPos.
  double decay_exponent(double position) const {
    return decay ? (position - decay->center) / decay->scale_base : 0;
  }
  // The logarithm of pair k's factor on q, for each unit of the exponent.
  double log_decay(int64_t k) const {
    return std::log((2 * static_cast<double>(k) + 0.4 * turning) / (1.4 * turning));
  }
};

}  // namespace posenc
