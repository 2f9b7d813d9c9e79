// offset.cc: the position of the first row.
#include "offset.h"

#include <array>
#include <cmath>
#include <complex>

namespace posenc::inspect {
namespace {

// A few columns of the first row as they turn with the offset.
class Wheels {
 public:
  static constexpr size_t most = 5;
  using State = std::array<std::complex<double>, most>;

  Wheels(const Sample& sample, const Formula& f, int direction) : sample_(sample) {
    const Sketch sketch(f);
    Formula zero = f;
    zero.scheme.offset = 0;
    const double p = zero.position(sample.rows[0], sample.table_rows);
    for (size_t i = 0; i < sample.columns.size() && count_ < most; ++i) {
      const auto column = f.column(sample.columns[i]);
      if (column.zero) continue;
      const double w = sketch.frequency(sample.columns[i]);
      cosine_[count_] = column.cosine, value_[count_] = sample.values[i];
      start_[count_] = std::polar(1.0, w * p), step_[count_] = std::polar(1.0, w * direction);
      ++count_;
    }
  }

  State start() const { return start_; }
  void turn(State& s) const {
    for (size_t i = 0; i < count_; ++i) s[i] *= step_[i];
  }
  // Are the values of the row in the same ratios?
  bool fits(const State& s) const {
    const double slack = 4 * sample_.size * (storage_error(sample_.type) + drift);
    for (size_t i = 1; i < count_; ++i)
      if (std::abs(value_[i] * at(s, 0) - value_[0] * at(s, i)) > slack) return false;
    return true;
  }

 private:
  static constexpr double drift = 0.02;  // f32 phases at the far end, and sines turned step by step
  double at(const State& s, size_t i) const { return cosine_[i] ? s[i].real() : s[i].imag(); }

  const Sample& sample_;
  size_t count_ = 0;
  State start_{}, step_{};
  std::array<bool, most> cosine_{};
  std::array<double, most> value_{};
};

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

}  // namespace

std::optional<int64_t> offset_for(const Sample& sample, const Formula& unit) {
  const int64_t farthest = farthest_offset(
      sample, is_per_column(unit.scheme.rule) ? unit.scheme.dim : unit.scheme.pair_count());
  Formula shifted = unit;
  const Wheels up(sample, unit, 1), down(sample, unit, -1);
  Wheels::State plus = up.start(), minus = down.start();
  sample.work += farthest / 8;  // a step costs less than a sine
  for (int64_t distance = 0; distance <= farthest && !sample.cut(); ++distance) {
    for (const auto* at : {&plus, &minus}) {
      if (!up.fits(*at)) continue;
      shifted.scheme.offset = at == &plus ? distance : -distance;
      if (factor_for(sample, shifted).value_or(0) > 0) return shifted.scheme.offset;
    }
    up.turn(plus), down.turn(minus);
  }
  return {};
}

}  // namespace posenc::inspect
