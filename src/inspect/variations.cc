// variations.cc: the classic mistakes.
#include <cmath>
#include <numbers>

#include "variation.h"

namespace posenc::inspect {
namespace {

// ------------------------------------------------------------------ exponents

// base^(-k rate) becomes base^(-(k + shift) rate times).
Cost change_exponent(Formula& f, double times, double shift) {
  if (has_one_frequency(f.scheme) || f.scheme.dim < 3) return {};
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
    return !has_one_frequency(s) && !is_per_column(s.rule) && s.order == Order::interleaved;
  };
  const auto in_halves = [](const Sinusoidal& s) {
    return !has_one_frequency(s) && !is_per_column(s.rule) && s.order == Order::halves;
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

// ------------------------------------------------------------------ speeds and positions

Variation speed(std::string_view id, double factor) {
  return {id, 1, [=](Formula& f) {
            f.scheme.position_scale *= factor;
            return Cost(0);
          }};
}

Group speeds() {
  constexpr double pi = std::numbers::pi;
  return {speed("degrees", pi / 180), speed("degrees-as-radians", 180 / pi), speed("turns", 2 * pi),
          speed("negated-sine", -1)};
}

Cost start_one_late(Formula& f) {
  f.scheme.offset += 1;
  return 0;
}

Cost turn_round(Formula& f) {
  f.reversed = true;
  return 0;
}

Group places() {
  return {{"off-by-one-position", 1, start_one_late}, {"reversed-positions", 1, turn_round}};
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
    out.push_back(
        rounding(e, brain ? "bf16-position" : "f16-position", {type, true, false, false}));
    out.push_back(
        rounding(e, brain ? "bf16-frequency" : "f16-frequency", {type, false, true, false}));
    const std::string_view phase = brain ? "bf16-phase" : "f16-phase";
    for (int bits : {4, 5, 6, 7, 3})
      out.push_back(rounding(e, phase, {type, (bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0}));
  }
  return out;
}

Group operator+(Group a, const Group& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Group none() {
  return {{"", 0, [](Formula&) { return Cost(0); }}};
}

}  // namespace

std::vector<Group> formula_groups(const Evidence& e) {
  return {none() + layouts(), none() + measured_bases(e), none() + exponents(),
          none() + speeds() + measured_speeds(e), none() + places() + measured_offsets(e)};
}

std::vector<Group> rounding_groups(const Evidence& e) {
  return {none() + measured_bases(e), none() + Group{places().front()}, roundings(e)};
}

}  // namespace posenc::inspect
