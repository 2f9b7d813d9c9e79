// magnitudes.cc: factors that depend on the position, and the way back.
#include "rotary/magnitudes.h"

#include <cmath>

#include "base/bits.h"
#include "base/dispatch.h"

namespace posenc {
namespace {

// (position - center) / scale_base, or 0 without xPos.
double decay_exponent(const Rope& rope, double position) {
  const auto* xpos = std::get_if<XPos>(&rope.decay);
  return xpos ? (position - xpos->center) / xpos->scale_base : 0;
}

// The logarithm of pair k's factor on q, for each unit of the exponent.
double log_decay(const Rope& rope, int64_t k) {
  const auto turning = static_cast<double>(rope.turning());
  return std::log((2 * static_cast<double>(k) + 0.4 * turning) / (1.4 * turning));
}

template <class C>
void scale_row(const C* from, C* to, int64_t n, double factor) {
  const auto f = static_cast<C>(factor);
  for (int64_t k = 0; k < n; ++k) to[k] = from[k] * f;
}

template <class C>
void adjust_row(const RotaryPlan::Parts& parts, Way way, bool is_query, double position,
                const C* from, C* to) {
  const Rope& rope = parts.scheme;
  const int64_t pairs = rope.pairs();
  const double m2 = parts.cos_sin_factor * parts.cos_sin_factor;
  const auto factor = [&](int64_t k) {
    const double f = pair_factor(rope, is_query, position, k);
    return way == Way::inverse ? 1 / (f * m2) : f;
  };
  const int sign = way == Way::forward ? 1 : -1;
  const bool steady = rope.decay.index() == 0;  // one factor for all pairs
  for (int64_t k = 0; k < pairs; k += steady ? pairs : 1) {
    const double f = factor(k);
    scale_row(from + k, to + k, steady ? pairs : 1, f);
    scale_row(from + pairs + k, to + pairs + k, steady ? pairs : 1, sign * f);
  }
}

void check_position(const char* verb, const Rope& rope, double position) {
  const double factor = query_factor(rope, position);
  if (!is_finite(factor) || factor <= 0)
    fail(verb, "expected positions where the temperature on q is positive, got ", position);
  if (rope.pairs() > 0 && !(std::abs(decay_exponent(rope, position) * log_decay(rope, 0)) < 80))
    fail(verb, "expected positions near decay.center, where xPos does not overflow, got ",
         position);
}

}  // namespace

double query_factor(const Rope& rope, double position) {
  const auto* temperature = std::get_if<LogTemperature>(&rope.temperature);
  return temperature ? temperature->factor(position) : 1;
}

double pair_factor(const Rope& rope, bool is_query, double position, int64_t k) {
  const double exponent = decay_exponent(rope, position);
  const double decay = exponent == 0 ? 1 : std::exp(exponent * log_decay(rope, k));
  return is_query ? query_factor(rope, position) * decay : 1 / decay;
}

void check_magnitudes(const char* verb, const RotaryPlan& plan, const Positions& at, int64_t rows,
                      int64_t tokens) {
  const Rope& rope = plan.scheme();
  if (rope.temperature.index() == 0 && rope.decay.index() == 0) return;
  cpu::Coordinates here;
  const bool shared = at.is_shared();
  for (int64_t row = 0; row < (shared ? 1 : rows); ++row)
    for (int64_t token = 0; token < tokens; ++token) {
      locate(plan.table().source(), at, row, token, 1, here);
      check_position(verb, rope, here.value[0][0]);
    }
}

bool sides_differ(const Rope& rope) {
  return rope.decay.index() != 0 || rope.temperature.index() != 0;
}

void adjust_rows(const RotaryPlan::Parts& parts, Way way, bool is_query, const cpu::Coordinates& at,
                 const cpu::Rows& from, const cpu::Rows& to) {
  dispatch(to.dtype, [&]<class T>() {
    if constexpr (std::is_floating_point_v<T>)
      for (int64_t t = 0; t < at.rows; ++t)
        adjust_row(parts, way, is_query, at.value[0][t],
                   static_cast<const T*>(from.data) + t * from.ld,
                   static_cast<T*>(to.data) + t * to.ld);
  });
}

}  // namespace posenc
