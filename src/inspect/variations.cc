// variations.cc: the ways in which tables differ from presets, as data.
#include <cmath>
#include <numbers>

#include "search.h"

namespace posenc::inspect {
namespace {

using Cost = std::optional<double>;  // besides that of the variation

bool one_frequency(const Sinusoidal& s) {
  return std::holds_alternative<ExplicitRule>(s.rule) ||
         (s.pair_count() == 1 && !is_per_column(s.rule));
}

// ------------------------------------------------------------------ exponents

// base^(-k rate) becomes base^(-(k + shift) rate times).
Cost change_exponent(Formula& f, double times, double shift) {
  if (one_frequency(f.scheme) || f.scheme.dim < 3) return {};
  if (times != 1 && f.scheme.base != Sinusoidal{}.base) return {};  // just another base
  f.scheme.base = std::pow(f.scheme.base, times);
  f.scheme.position_scale *= std::pow(f.scheme.base, -shift * f.rate);
  return 0;
}

Variation exponent(std::string_view id, double times, double shift = 0) {
  return {id, 1, [=](Formula& f) { return change_exponent(f, times, shift); }};
}

Cost divide_by_dim_minus_1(Formula& f) {
  if (!std::holds_alternative<PaperRule>(f.scheme.rule) || f.scheme.dim < 3) return {};
  const auto d = static_cast<double>(f.scheme.dim);
  return change_exponent(f, d / (d - 1), 0);
}

Cost divide_by_half_minus_1(Formula& f) {
  if (!std::holds_alternative<PaperRule>(f.scheme.rule) || f.scheme.pair_count() < 2) return {};
  f.scheme.rule = TimescalesRule{}, f.rate = rate_of(f.scheme);
  return 0;
}

Group exponents() {
  return {exponent("doubled-exponent", 2),
          exponent("halved-exponent", 0.5),
          exponent("shifted-exponent", 1, 1),
          exponent("half-shifted-exponent", 1, 0.5),
          {"exponent-over-dim-minus-1", 1, divide_by_dim_minus_1},
          {"exponent-over-half-minus-1", 1, divide_by_half_minus_1},
          exponent("missing-minus", -1),
          exponent("integer-division", 0),
          exponent("log10-for-log", 1 / std::numbers::ln10)};
}

// ------------------------------------------------------------------ bases

bool shows_base(const Evidence& e, const Formula& f) {
  const auto& line = e.line(f);
  return line && line->slope_error < 0.5 * f.rate;
}

// Few digits are more likely than many, and a base near 10000 than another.
Cost measured_base(const Evidence& e, Formula& f, int digits) {
  if (one_frequency(f.scheme) || !shows_base(e, f)) return {};
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
            if (one_frequency(f.scheme) || shows_base(e, f)) return {};
            f.scheme.base = base;
            return 0;
          }};
}

Group bases(const Evidence& e) {
  Group out;
  for (int digits : {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 14, 17})
    out.push_back(
        {"wrong-base", 1.2, [&e, digits](Formula& f) { return measured_base(e, f, digits); }});
  for (double base : {1e3, 1e2, 1e5, 1e6, 5e5}) out.push_back(common_base(e, base));
  return out;
}

// ------------------------------------------------------------------ layouts

Variation mix(std::string_view id, Mix mix, double cost, bool (*fits)(const Sinusoidal&)) {
  return {id, cost, [=](Formula& f) -> Cost {
            if (f.scheme.dim < 2 || !fits(f.scheme)) return {};
            f.mix = mix;
            return 0;
          }};
}

Group layouts() {
  const auto in_pairs = [](const Sinusoidal& s) {
    return !one_frequency(s) && !is_per_column(s.rule) && s.order == Order::interleaved;
  };
  const auto in_halves = [](const Sinusoidal& s) {
    return !one_frequency(s) && !is_per_column(s.rule) && s.order == Order::halves;
  };
  const auto any = [](const Sinusoidal&) { return true; };
  return {{"swapped-sine-cosine", 1,
           [](Formula& f) -> Cost {
             f.scheme.first = f.scheme.first == First::sine ? First::cosine : First::sine;
             return f.scheme.dim > 1 ? Cost(0) : Cost();
           }},
          mix("halves-for-interleaved", Mix::frequencies_in_halves, 1, in_pairs),
          mix("interleaved-for-halves", Mix::frequencies_in_pairs, 1, in_halves),
          mix("shifted-cosine-exponent", Mix::cosines_one_on, 1.1, in_pairs),
          mix("only-sines", Mix::only_sines, 1.2, any),
          mix("only-cosines", Mix::only_cosines, 1.2, any)};
}

// ------------------------------------------------------------------ speeds

Variation speed(std::string_view id, double factor) {
  return {id, 1, [=](Formula& f) {
            f.scheme.position_scale *= factor;
            return Cost(0);
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

Group speeds(const Evidence& e) {
  constexpr double pi = std::numbers::pi;
  Group out{speed("degrees", pi / 180), speed("degrees-as-radians", 180 / pi),
            speed("turns", 2 * pi), speed("negated-sine", -1)};
  for (int digits : {1, 2, 3, 4, 6, 8, 17})
    for (bool over : {false, true})
      out.push_back({"scaled-positions", 1.2, [&e, digits, over](Formula& f) {
                       return measured_speed(e, f, digits, over);
                     }});
  return out;
}

// ------------------------------------------------------------------ positions

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
         (one_frequency(f.scheme) || std::abs(measured->slope - line.slope) <= slope_error);
}

// Beyond this, some offset fits by chance: 2 n offsets, each of them with the probability that all
// of the frequencies are within their error.
int64_t farthest_offset(const Sample& sample, int64_t frequencies) {
  const auto by_chance = [&](double n) {
    const double error = storage_error(sample.type) + phase_error(n, 1, DType::f32);
    return 2 * n * std::pow(error, static_cast<double>(frequencies));
  };
  double n = 0x1p17;
  while (n > 1 && by_chance(n) > 0.05) n /= 2;
  return static_cast<int64_t>(n);
}

Cost found_offset(const Evidence& e, Formula& f) {
  if (!has_measured_line(e, f)) return {};
  const auto offset = offset_for(
      e.sample, f,
      farthest_offset(e.sample, is_per_column(f.scheme.rule) ? f.scheme.dim : f.scheme.pair_count()));
  f.scheme.offset = offset.value_or(0);
  return offset ? Cost(0.05 * std::log10(1 + std::abs(*offset))) : Cost();
}

Group places(const Evidence& e) {
  const auto off_by = [](int64_t by) {
    return [by](Formula& f) {
      f.scheme.offset += by;
      return Cost(0);
    };
  };
  return {{"off-by-one-position", 1, off_by(1)},
          {"reversed-positions", 1,
           [&e](Formula& f) {
             f.reversed = true;
             return e.table.rows > 1 ? Cost(0) : Cost();
           }},
          {"position-offset", 1.1, [&e](Formula& f) { return found_offset(e, f); }}};
}

// ------------------------------------------------------------------ roundings

Variation rounding(const Evidence& e, std::string_view id, Lowered low) {
  const int more = low.position + low.frequency + low.phase - 1;
  return {id, 1 + 0.05 * more, [&e, low](Formula& f) {
            f.lowered = low;
            const int64_t exact = low.type == DType::bf16 ? 256 : 2048;  // whole numbers it holds
            const bool seen = !low.position || e.table.rows + std::abs(f.scheme.offset) > exact;
            return seen ? Cost(0) : Cost();
          }};
}

Group roundings(const Evidence& e) {
  Group out;
  for (DType type : {DType::bf16, DType::f16}) {
    const bool brain = type == DType::bf16;
    out.push_back(rounding(e, brain ? "bf16-position" : "f16-position", {type, true, false, false}));
    out.push_back(rounding(e, brain ? "bf16-frequency" : "f16-frequency", {type, false, true, false}));
    const std::string_view phase = brain ? "bf16-phase" : "f16-phase";
    for (int bits : {4, 5, 6, 7, 3})
      out.push_back(rounding(e, phase, {type, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}));
  }
  return out;
}

Group with_none(Group group) {
  group.insert(group.begin(), Variation{"", 0, [](Formula&) { return Cost(0); }});
  return group;
}

}  // namespace

std::vector<Group> formula_groups(const Evidence& e) {
  return {with_none(layouts()), with_none(bases(e)), with_none(exponents()), with_none(speeds(e)),
          with_none(places(e))};
}

std::vector<Group> rounding_groups(const Evidence& e) {
  Group off_by_one = places(e);
  off_by_one.resize(1);
  return {with_none(bases(e)), with_none(off_by_one), roundings(e)};
}

}  // namespace posenc::inspect
