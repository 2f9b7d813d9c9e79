// offset.cc: the position of the first row.
#include "offset.h"

#include <array>
#include <cmath>

namespace posenc::inspect {
namespace {

// A few columns of the first row as they turn with the offset.
class Wheels {
 public:
  static constexpr size_t most = 5;
  struct WheelState {  // of unit vectors: std::complex multiplies with tests for infinities
    std::array<double, most> re{}, im{};
    void set(size_t i, double angle) { re[i] = std::cos(angle), im[i] = std::sin(angle); }
  };

  Wheels(const Sample& sample, const Formula& f, int direction)
      : slack_(4 * sample.size * (storage_error(sample.type) + drift)) {
    const Sketch sketch(f);
    Formula zero = f;
    zero.scheme.offset = 0;
    const double p = zero.position(sample.rows[0], sample.table_rows);
    for (size_t i = 0; i < sample.columns.size() && count_ < most; ++i) {
      const auto column = f.column(sample.columns[i]);
      if (column.zero) continue;
      const double w = sketch.frequency(sample.columns[i]);
      cosine_[count_] = column.cosine, value_[count_] = sample.values[i];
      start_.set(count_, w * p), step_.set(count_, w * direction);
      if (std::abs(value_[count_]) > std::abs(value_[anchor_])) anchor_ = count_;
      ++count_;
    }
  }

  WheelState start() const { return start_; }
  void turn(WheelState& s) const {
    for (size_t i = 0; i < most; ++i) {
      const double re = s.re[i] * step_.re[i] - s.im[i] * step_.im[i];
      s.im[i] = s.re[i] * step_.im[i] + s.im[i] * step_.re[i], s.re[i] = re;
    }
  }
  // Are the values of the row in the same ratios? That to the largest tells most.
  bool fits(const WheelState& s) const {
    const double v = value_[anchor_], m = at(s, anchor_);
    for (size_t i = 0; i < count_; ++i)
      if (std::abs(value_[i] * m - v * at(s, i)) > slack_) return false;
    return true;
  }

 private:
  static constexpr double drift = 0.02;  // f32 phases at the far end, and sines turned step by step
  double at(const WheelState& s, size_t i) const { return cosine_[i] ? s.re[i] : s.im[i]; }

  double slack_;
  size_t count_ = 0, anchor_ = 0;
  WheelState start_{}, step_{};
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
  Wheels::WheelState plus = up.start(), minus = down.start();
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
