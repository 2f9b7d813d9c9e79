// rotary_turns.cc: the angles of rotary pairs, row by row.
#include "rotary_turns.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/bits.h"
#include "sample.h"

namespace posenc::inspect {
namespace {

// Blocks of cosines and sines, each with its pairs once ("plain") or twice.
Arrangement in_blocks(const std::string& holds, const std::string& layout, int64_t dim) {
  const int64_t blocks = holds.size() > 3 ? 2 : 1, width = dim / blocks;
  Arrangement out{holds, layout, layout == "plain" ? width : width / 2, {}};
  if (dim % blocks != 0 || (layout != "plain" && width % 2 != 0)) return {};
  for (int64_t c = 0; c < dim; ++c) {
    const int64_t k = c % width;
    const bool sine = holds.compare(c < width ? 0 : 4, 3, "sin") == 0;
    out.columns.push_back({layout == "interleaved" ? k / 2 : k % out.pairs, sine});
  }
  return out;
}

Arrangement in_turn(int64_t dim) {
  Arrangement out{"cos,sin", "pairs", dim / 2, {}};
  for (int64_t c = 0; c < dim; ++c) out.columns.push_back({c / 2, c % 2 == 1});
  return dim % 2 == 0 ? out : Arrangement{};
}

// A pair at a row: the mean of the columns that hold it would say no more than the first.
struct PairRow {
  std::vector<double> cosine, sine;
};

class RotaryFitter {
 public:
  RotaryFitter(const RotaryRows& rows, const Arrangement& a)
      : rows_(rows), a_(a), storage_(slack * storage_error(rows.type)) {}

  // The frequencies, where every pair turns steadily; nothing otherwise.
  std::optional<std::vector<Known>> measured() {
    const auto start = at(0);
    if (!start || !find_factor(*start)) return {};
    std::vector<Known> out(static_cast<size_t>(a_.pairs), Known{0, 4});
    std::vector<uint8_t> lost(out.size());
    for (int64_t m = 1; m < rows_.count();
         m = m < rows_.count() - 1 ? std::min(2 * m, rows_.count() - 1) : rows_.count()) {
      const auto now = at(m);
      if (!now) return {};
      for (size_t k = 0; k < out.size(); ++k)
        if (!lost[k] && !step(*start, *now, k, static_cast<double>(m), out[k], lost[k])) return {};
    }
    return out;
  }
  double factor() const { return factor_; }

  // Where the first row stands, as the slowest pair that has turned tells.
  int64_t offset(const std::vector<Known>& known) const {
    const auto start = at(0);
    if (!a_.both()) return 0;
    double best = 0, least = 0.4;  // of a position
    for (size_t k = 0; k < known.size(); ++k) {
      const double angle = std::atan2(start->sine[k], start->cosine[k]), w = known[k].w;
      const double error =
          (2 * storage_ + std::abs(angle) * known[k].error / std::abs(w)) / std::abs(w);
      if (std::abs(w) > 2 * known[k].error && error < 0.4) best = angle / w, least = error;
    }
    return least < 0.4 ? std::llround(best) : 0;
  }

 private:
  // Nothing where columns of a pair disagree or a number is not finite.
  std::optional<PairRow> at(int64_t r) const {
    const auto row = rows_.row(r);
    const auto n = static_cast<size_t>(a_.pairs);
    PairRow out{std::vector<double>(n, HUGE_VAL), std::vector<double>(n, HUGE_VAL)};
    for (size_t c = 0; c < row.size(); ++c) {
      double& value =
          (a_.columns[c].sine ? out.sine : out.cosine)[static_cast<size_t>(a_.columns[c].pair)];
      if (!is_finite(row[c]) || (value != HUGE_VAL && value != row[c])) return {};
      value = row[c];
    }
    return out;
  }

  // The factor on cosines and sines; position 0 shows it where there are cosines.
  bool find_factor(const PairRow& start) {
    if (a_.both()) {
      factor_ = std::hypot(start.cosine[0], start.sine[0]);
      for (size_t k = 0; k < start.cosine.size(); ++k)
        if (std::abs(std::hypot(start.cosine[k], start.sine[k]) - factor_) > storage_ * factor_)
          return false;
    } else if (a_.holds == "cos") {
      factor_ = start.cosine[0];
      for (double c : start.cosine)
        if (c != factor_) return false;
    } else {
      const bool zero =
          std::all_of(start.sine.begin(), start.sine.end(), [](double s) { return s == 0; });
      const auto one = at(1), two = at(std::min<int64_t>(2, rows_.count() - 1));
      if (!zero || !one || !two) return false;
      const double c = two->sine[0] / (2 * one->sine[0]);  // sin 2w = 2 sin w cos w
      factor_ = std::abs(c) < 1 ? one->sine[0] / std::sqrt(1 - c * c) : 1;
    }
    if (std::abs(factor_ - 1) <= storage_) factor_ = 1;
    return factor_ > 0 && is_finite(factor_);
  }

  struct Angle {
    double value, error;
  };
  // Of arc cosine or sine: as far as the number may be off.
  template <class F>
  Angle inverse(F arc, double x) const {
    const auto within = [](double v) { return std::clamp(v, -1.0, 1.0); };
    const double value = arc(within(x)), up = arc(within(x + storage_)),
                 down = arc(within(x - storage_));
    return {value, std::max(std::abs(up - value), std::abs(down - value))};
  }

  // Row m tells the angle m w, given where it must lie; false where nothing lies there.
  bool step(const PairRow& start, const PairRow& now, size_t k, double m, Known& known,
            uint8_t& lost) const {
    constexpr double pi = std::numbers::pi, turn = 2 * pi;
    const bool fresh = known.error > 3;
    const double expected = fresh ? 0 : known.w * m, spread = fresh ? pi : known.error * m;
    const double drift = phase_error(m, std::max(std::abs(known.w), 1e-300), DType::f32);
    lost = spread > (fresh ? 4 : 1) || drift > 0.1;
    if (lost) return true;
    Angle angle{};
    if (a_.both()) {
      const double c0 = start.cosine[k], s0 = start.sine[k], c = now.cosine[k], s = now.sine[k];
      if (std::abs(std::hypot(c, s) - factor_) > storage_ * factor_) return false;
      const double turned = std::atan2(s * c0 - c * s0, c * c0 + s * s0);
      angle = {turned + turn * std::round((expected - turned) / turn), 2 * storage_};
    } else {
      const bool cosine = a_.holds == "cos";
      const double x = (cosine ? now.cosine : now.sine)[k] / factor_;
      if (std::abs(x) > 1 + storage_) return false;
      angle = cosine ? inverse([](double v) { return std::acos(v); }, x)
                     : inverse([](double v) { return std::asin(v); }, x);
      const double limit = cosine ? pi : pi / 2;  // up to here the inverse is the angle
      if (!fresh && expected + spread >= limit && !unfold(angle, expected, spread, cosine))
        return true;
    }
    const double error = (angle.error + drift) / m;
    if (!fresh && std::abs(angle.value / m - known.w) > 2 * (error + known.error)) return false;
    if (fresh || error < known.error) known = {angle.value / m, error};
    return true;
  }

  // The other angle of the same cosine or sine may be meant; false where both may.
  static bool unfold(Angle& angle, double expected, double spread, bool cosine) {
    constexpr double pi = std::numbers::pi, turn = 2 * pi;
    const auto near = [&](double a) { return a + turn * std::round((expected - a) / turn); };
    const double one = near(angle.value), two = near(cosine ? -angle.value : pi - angle.value);
    const bool first = std::abs(one - expected) < std::abs(two - expected);
    angle.value = first ? one : two;
    return std::abs((first ? two : one) - expected) > 2 * (spread + angle.error);
  }

  const RotaryRows& rows_;
  const Arrangement& a_;
  double storage_, factor_ = 1;
};

}  // namespace

std::vector<Arrangement> arrangements(const RotaryRows& rows) {
  std::vector<Arrangement> out;
  const bool stacked = rows.parts.size() == 2;
  for (const char* layout : {"half", "interleaved", "plain"}) {
    for (const char* holds : {"cos", "sin"})
      if (!stacked) out.push_back(in_blocks(holds, layout, rows.dim()));
    out.push_back(in_blocks("cos|sin", layout, rows.dim()));
    if (stacked) out.push_back(in_blocks("sin|cos", layout, rows.dim()));
  }
  if (!stacked) out.push_back(in_turn(rows.dim()));
  return out;
}

std::optional<MeasuredRotation> turning(const RotaryRows& rows, const Arrangement& arrangement) {
  RotaryFitter turns(rows, arrangement);
  const auto known = turns.measured();
  if (!known || std::abs((*known)[0].w) <= 2 * (*known)[0].error) return {};
  return MeasuredRotation{turns.factor(), turns.offset(*known), *known};
}

}  // namespace posenc::inspect
