// frequencies.cc: frequencies in wide arithmetic.
#include "posenc/frequencies.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "frequencies/math.h"
#include "posenc/tensor.h"

namespace posenc {

Frequency from_turns(const Wide& turns) {
  if (!(abs(turns) < 0x1p62))
    fail("frequency", "expected fewer than 2^62 turns per position, got ", turns.to_double());
  const auto [lo, hi, whole] = turns.fixed();
  return {static_cast<int64_t>(whole), hi, lo};
}

namespace {

Wide wide(const Frequency& f) {
  return Wide(f.turns) + ldexp(Wide(f.hi), -64) + ldexp(Wide(f.lo), -128);
}

Wide turn(Unit unit) {
  return unit == Unit::radians ? wide_two_pi() : unit == Unit::degrees ? Wide(360) : Wide(1);
}

// 1, ratio, ratio^2, ... radians.
std::vector<Frequency> run(int64_t count, const Wide& ratio) {
  Wide f = 1 / wide_two_pi();
  std::vector<Frequency> out;
  for (int64_t k = 0; k < count; ++k, f *= ratio) out.push_back(from_turns(f));
  return out;
}

}  // namespace

Frequency frequency(double value, Unit unit) {
  if (!is_finite(value)) fail("frequency", "expected a finite number, got ", value);
  return from_turns(Wide(value) / turn(unit));
}

std::vector<Frequency> geometric(int64_t count, Base base, int64_t numerator, int64_t denominator) {
  return run(count, pow(Wide(base.above) / base.below, Wide(-numerator) / denominator));
}

std::vector<Frequency> geometric_root(int64_t dim) {
  const Wide root = sqrt(Wide(dim));
  return run(dim, pow(root, -root / std::max<int64_t>(dim - 1, 1)));
}

std::vector<Frequency> linear(int64_t count, double from, double to, Unit unit) {
  std::vector<Frequency> out;
  const Wide step = (Wide(to) - from) / std::max<int64_t>(count - 1, 1);
  for (int64_t k = 0; k < count; ++k) out.push_back(from_turns((from + step * k) / turn(unit)));
  return out;
}

std::vector<Frequency> geometric_f32(int64_t count, Base base, int64_t numerator,
                                     int64_t denominator, Exponent order) {
  const double log = std::log(base.above / base.below), n = static_cast<double>(denominator);
  const bool slope_first = order == Exponent::slope_first;
  const F32 slope = slope_first ? -log / n : -log;
  std::vector<Frequency> out;
  for (int64_t k = 0; k < count; ++k) {
    const F32 product = F32(static_cast<double>(k * numerator)) * slope;
    const F32 exponent = slope_first ? product : product / n;
    const volatile double power = std::exp(exponent.value());  // no expf instead
    out.push_back(frequency(F32(power).value()));
  }
  return out;
}

Frequency rounded_to_f32(const Frequency& f) { return frequency(static_cast<float>(radians(f))); }

Frequency operator*(const Frequency& f, double factor) { return from_turns(wide(f) * factor); }

double radians(const Frequency& f) { return (wide(f) * wide_two_pi()).to_double(); }

}  // namespace posenc
