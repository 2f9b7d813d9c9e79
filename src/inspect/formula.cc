// formula.cc: formulas evaluated, twice: a sketch in doubles, and exactly.
#include "formula.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/half.h"
#include "frequencies/sines.h"

namespace posenc::inspect {
namespace {

// The frequencies of the cosines where they are one pair on.
Sinusoidal one_on(Sinusoidal s) {
  s.position_scale *= std::pow(s.base, -rate_of(s));
  return s;
}

// Position x frequency with the roundings the formula names; otherwise as f32 code has it.
double rounded_angle(const Lowered& low, double position, float radians) {
  const auto p = static_cast<float>(low.position ? lowered(low.type, position) : position);
  const auto w = static_cast<float>(low.frequency ? lowered(low.type, radians) : radians);
  const volatile float angle = p * w;
  return low.phase ? lowered(low.type, angle) : angle;
}

}  // namespace

double lowered(DType type, double x) {
  const auto single = static_cast<float>(x);
  return type == DType::f16 ? to_f32(to_f16(single)) : to_f32(to_bf16(single));
}

Formula::Column Formula::column(int64_t c) const {
  const auto column = scheme.pair_column(c);
  const int64_t n = scheme.pair_count();
  Column out{is_per_column(scheme.rule) ? c : column.pair,
             column.second == (scheme.first == First::sine), scheme.odd == Odd::zero && c >= 2 * n};
  if (out.zero) out.index = 0;
  if (mix == Mix::frequencies_in_halves) out.index = c < n ? c : c - n;
  if (mix == Mix::frequencies_in_pairs) out.index = c / 2;
  if (mix == Mix::only_sines) out.cosine = false;
  if (mix == Mix::only_cosines) out.cosine = true;
  return out;
}

double Formula::position(int64_t row, int64_t rows) const {
  return static_cast<double>((reversed ? rows - 1 - row : row) + scheme.offset);
}

double rate_of(const Sinusoidal& s) {
  const auto pairs = static_cast<double>(s.pair_count());
  const double dim = s.odd == Odd::zero ? 2 * pairs : static_cast<double>(s.dim);
  if (std::holds_alternative<ExplicitRule>(s.rule)) return 0;  // only ever of one pair here
  if (is_per_column(s.rule))
    return s.dim < 2 ? 0 : (std::holds_alternative<RawIndexRule>(s.rule) ? 2 : 1) / dim;
  if (pairs < 2) return 0;
  return std::holds_alternative<PaperRule>(s.rule) ? 2 / dim : 1 / (pairs - 1);
}

Line line_of(const Formula& f) {
  const double speed = std::log(std::abs(f.scheme.position_scale));
  if (const auto* given = std::get_if<ExplicitRule>(&f.scheme.rule))
    return {speed + std::log(radians(frequency(given->frequencies[0], given->unit))), 0};
  return {speed, -std::log(f.scheme.base) * f.rate};
}

Sketch::Sketch(const Formula& formula)
    : formula_(formula),
      line_(line_of(formula)),
      sign_(formula.scheme.position_scale < 0 ? -1 : 1) {}

Sketch::Tone Sketch::tone(int64_t c) const {
  const auto column = formula_.column(c);
  const bool on = formula_.mix == Mix::cosines_one_on && column.cosine;
  const double log =
      line_.intercept + line_.slope * static_cast<double>(column.index + (on ? 1 : 0));
  return {column, log, sign_ * std::exp(log)};
}

double Sketch::value(double position, const Tone& tone) const {
  if (tone.column.zero) return 0;
  const double w = tone.frequency;
  const double angle = formula_.lowered.any()
                           ? rounded_angle(formula_.lowered, position, static_cast<float>(w))
                           : position * w;
  if (!is_finite(angle)) return 0;
  return tone.column.cosine ? std::cos(angle) : std::sin(angle);
}

ExactRows::ExactRows(const Formula& formula, int64_t rows) : formula_(formula), rows_(rows) {
  Sinusoidal s = formula.scheme;
  if (formula.lowered.any()) s.numerics = formula_.scheme.numerics = Numerics::torch_f32;
  const auto plain = s.frequencies();
  const auto shifted = formula.mix == Mix::cosines_one_on ? one_on(s).frequencies() : plain;
  for (int64_t c = 0; c < s.dim; ++c) {
    const auto column = formula.column(c);
    const auto& from = column.cosine ? shifted : plain;
    frequency_.push_back(column.zero ? Frequency{} : from[static_cast<size_t>(column.index)]);
    radians_.push_back(static_cast<float>(radians(frequency_.back())));
    quarter_.push_back(column.cosine ? quarter_turn : 0);
    amplitude_.push_back(column.zero ? 0 : s.amplitude());
  }
}

void ExactRows::phases(double position, Turn* out) const {
  const auto p = static_cast<int64_t>(position);
  for (size_t c = 0; c < frequency_.size(); ++c) out[c] = phase(frequency_[c], p) + quarter_[c];
}

void ExactRows::rounded_phases(double position, Turn* out) const {
  for (size_t c = 0; c < frequency_.size(); ++c) {
    const double angle = rounded_angle(formula_.lowered, position, radians_[c]);
    out[c] = phase(radian_, split(is_finite(angle) ? angle : 0)) + quarter_[c];
  }
}

void ExactRows::row(int64_t row, double* out) const {
  thread_local std::vector<Turn> turns;
  turns.resize(frequency_.size());
  const double position = formula_.position(row, rows_);
  if (formula_.scheme.numerics == Numerics::torch_f32) {
    rounded_phases(position, turns.data());
  } else {
    phases(position, turns.data());
  }
  cpu::sines(turns.data(), out, turns.size());
  for (size_t c = 0; c < turns.size(); ++c) out[c] *= amplitude_[c];
}

}  // namespace posenc::inspect
