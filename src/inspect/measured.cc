// measured.cc: variations whose numbers are measured on the table.
#include <algorithm>
#include <cmath>

#include "variation.h"

namespace posenc::inspect {
namespace {

bool shows_base(const Evidence& e, const Formula& f) {
  const auto& line = e.line(f);
  return line && line->slope_error < 0.5 * f.rate;
}

// Few digits are more likely than many, and a base near 10000 than another.
Cost measured_base(const Evidence& e, Formula& f, int digits) {
  if (has_one_frequency(f.scheme) || !shows_base(e, f)) return {};
  const auto& line = e.line(f);
  const double log = -line->slope / f.rate, error = std::max(4 * line->slope_error / f.rate, 2e-6);
  if (std::abs(log - std::log(f.scheme.base)) <= error) return {};
  f.scheme.base = rounded_to_digits(std::exp(log), digits);
  if (std::abs(std::log(f.scheme.base) - log) > error) return {};
  return 0.02 * digits + 0.01 * std::abs(std::log10(f.scheme.base) - 4);
}

// Where nothing can be measured.
Variation common_base(const Evidence& e, double base) {
  return {"wrong-base", 1.5, [&e, base](Formula& f) -> Cost {
            if (has_one_frequency(f.scheme) || shows_base(e, f)) return {};
            f.scheme.base = base;
            return 0;
          }};
}

Cost measured_speed(const Evidence& e, Formula& f, int digits, bool over) {
  const auto& line = e.line(f);
  if (!line) return {};
  const double log = line->intercept - line_of(f).intercept, error = line->intercept_error;
  if (error > 0.5 || std::abs(log) <= error) return {};
  const double factor = rounded_to_digits(std::exp(over ? -log : log), digits);
  if (std::abs(std::log(factor) - (over ? -log : log)) > error) return {};
  f.scheme.position_scale *= over ? 1 / factor : factor;
  return 0.02 * digits;
}

// Is this the line that was measured (or is there nothing to measure with)?
bool has_measured_line(const Evidence& e, const Formula& f) {
  const auto& measured = e.line(f);
  if (!measured && e.table.rows < 3)
    return f.scheme.position_scale == 1 && f.scheme.base == Sinusoidal{}.base && f.mix == Mix::none;
  if (!measured) return false;
  const Line line = line_of(f);  // f32 phases far out mislead a little
  const double intercept_error = std::max(8 * measured->intercept_error, 1e-3);
  const double slope_error = std::max(8 * measured->slope_error, 1e-3 * std::abs(line.slope));
  return std::abs(measured->intercept - line.intercept) <= intercept_error &&
         (has_one_frequency(f.scheme) || std::abs(measured->slope - line.slope) <= slope_error);
}

Cost found_offset(const Evidence& e, Formula& f) {
  if (!has_measured_line(e, f)) return {};
  const auto offset = e.offset(f);
  f.scheme.offset = offset.value_or(0);
  return offset ? Cost(0.05 * std::log10(1 + std::abs(*offset))) : Cost();
}

}  // namespace

Group measured_bases(const Evidence& e) {
  Group out;
  for (int digits : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17})
    out.push_back(
        {"wrong-base", 1.2, [&e, digits](Formula& f) { return measured_base(e, f, digits); }});
  for (double base : {1e3, 1e2, 1e5, 1e6, 5e5}) out.push_back(common_base(e, base));
  return out;
}

Group measured_speeds(const Evidence& e) {
  Group out;
  for (int digits : {1, 2, 3, 4, 6, 8, 17})
    for (bool over : {false, true})
      out.push_back({"scaled-positions", 1.2, [&e, digits, over](Formula& f) {
                       return measured_speed(e, f, digits, over);
                     }});
  return out;
}

Group measured_offsets(const Evidence& e) {
  return {{"position-offset", 1.1, [&e](Formula& f) { return found_offset(e, f); }}};
}

}  // namespace posenc::inspect
