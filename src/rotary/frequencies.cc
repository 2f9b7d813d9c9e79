// frequencies.cc: the frequency of every pair: its source, then the length rule.
#include "rotary/frequencies.h"

#include <map>

#include "frequencies/math.h"
#include "rotary/scaling.h"

namespace posenc {
namespace {

// base^(index / count) for whole indices, by one power and products.
class PowersOf {
 public:
  explicit PowersOf(Wide base) : base_(std::move(base)) {}
  Wide operator()(const PairAxis& pair) {
    auto& run = runs_[pair.count];
    if (run.empty()) run = {Wide(1), pow(base_, 1 / Wide(pair.count))};
    while (std::ssize(run) <= pair.index) run.push_back(run.back() * run[1]);
    return run[static_cast<size_t>(pair.index)];
  }

 private:
  Wide base_;
  std::map<int64_t, std::vector<Wide>> runs_;
};

// The same as f32 code has it: every exponent and every power rounded.
class RoundedPowersOf {
 public:
  explicit RoundedPowersOf(double base) : base_(base) {}
  F32 operator()(const PairAxis& pair) const {
    const F32 exponent = F32(static_cast<double>(pair.index)) / static_cast<double>(pair.count);
    return power(base_, exponent);
  }

 private:
  F32 base_;
};

PowersOf powers_of(const Wide& base) { return PowersOf(base); }
RoundedPowersOf powers_of(double base) { return RoundedPowersOf(base); }

template <class Math, class Rule>
std::vector<Frequency> scaled_powers(const Rope& rope, const Rule& rule, int64_t length) {
  using Real = typename Math::Real;
  RuleInput<Math> in{rope.turning(), rope.base, Math::two_pi(), length};
  in.base = base_of(rule, in);
  auto power = powers_of(in.base);
  const auto to_frequency = scaled(rule, in);
  const bool turns = std::get<Powers>(rope.frequencies).unit == Unit::turns;
  const bool degrees = std::get<Powers>(rope.frequencies).unit == Unit::degrees;
  const Real unit = turns ? Real(Math::two_pi()) : degrees ? Real(Math::two_pi()) / 360 : Real(1);
  std::vector<Frequency> out;
  int64_t k = 0;
  for (const PairAxis& pair : pair_axes(rope.axes, rope.pairs()))
    out.push_back(Math::frequency(to_frequency(k++, power(pair)) * unit));
  return out;
}

// Radians per position of the sources that are not powers of the base.
template <class Math>
struct Given {
  using Real = typename Math::Real;
  using Setup = typename Math::Setup;

  static Setup step(const PairAxis& p) {  // 0 .. 1 in equal steps
    return p.count == 1 ? Setup(0) : Setup(p.index) / (p.count - 1);
  }
  const Rope& rope;
  int64_t k;
  Real operator()(const Powers&, const PairAxis&) const { return Real(0); }
  Real operator()(const Fourier& s, const PairAxis& p) const {
    if (k >= s.mixed(rope.base, rope.pairs())) return Real(0);
    const Real exponent = Real(static_cast<double>(p.index)) / static_cast<double>(p.count);
    return Real(1 / power(Real(rope.base), exponent));
  }
  Real operator()(const LearnedFrequencies&, const PairAxis&) const { return Real(0); }
  Real operator()(const ListedFrequencies& s, const PairAxis&) const {
    return Real(s.values[static_cast<size_t>(k)]);
  }
  Real operator()(const AxisPowers& s, const PairAxis& p) const {
    const Real exponent = Real(static_cast<double>(p.index)) / static_cast<double>(p.count);
    return Real(1 / power(Real(s.bases[static_cast<size_t>(p.axis)]), exponent));
  }
  Real operator()(const Pixels& s, const PairAxis& p) const {
    using std::log2;
    const Real pi = Real(Setup(Math::two_pi() / 2));
    const Setup res = s.max_res;
    if (s.linear) return linspace(Real(1), Real(Setup(res / 2)), p.index, p.count) * pi;
    const Real exponent = linspace(Real(0), Real(Setup(log2(res) - 1)), p.index, p.count);
    return power(Real(2), exponent) * pi;
  }
  Real operator()(const Periods& s, const PairAxis& p) const {
    using std::pow;
    const Setup ratio = Setup(s.max_period) / s.min_period;
    return Real(Setup(Math::two_pi() / (s.min_period * pow(ratio, step(p)))));
  }
};

template <class Math>
std::vector<Frequency> given(const Rope& rope) {
  using Real = typename Math::Real;
  const auto* linear = std::get_if<Linear>(&rope.scaling);
  const Real factor = linear ? linear->factor : 1;
  std::vector<Frequency> out;
  for (const PairAxis& pair : pair_axes(rope.axes, rope.pairs())) {
    const Real f = std::visit(
        [&](const auto& s) {
          return Given<Math>{rope, std::ssize(out)}(s, pair);
        },
        rope.frequencies);
    out.push_back(Math::frequency(f / factor));
  }
  return out;
}

}  // namespace

std::vector<Frequency> pair_frequencies(const Rope& rope, int64_t length) {
  if (std::holds_alternative<LearnedFrequencies>(rope.frequencies)) return {};
  const bool exact = rope.numerics == Numerics::exact;
  if (!std::holds_alternative<Powers>(rope.frequencies))
    return exact ? given<Exact>(rope) : given<Torch>(rope);
  return std::visit(
      [&](const auto& rule) {
        return exact ? scaled_powers<Exact>(rope, rule, length)
                     : scaled_powers<Torch>(rope, rule, length);
      },
      rope.scaling);
}

}  // namespace posenc
