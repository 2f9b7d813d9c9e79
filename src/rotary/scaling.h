// scaling.h: the formulas of the length rules.
//
// Each is written for any kind of number (Math): exact plans compute in wide arithmetic, the others
// with the roundings of f32 code. Math::Real holds what differs from pair to pair, Math::Setup what
// is worked out once.
#pragma once

#include <algorithm>
#include <cmath>

#include "posenc/rotary/scaling.h"

namespace posenc {

// A number of tokens that a rule is given.
void check_length(std::string_view rule, std::string_view option, int64_t value);

// What a rule is told.
template <class Math>
struct RuleInput {
  int64_t rotary_dim;  // D: features that turn
  typename Math::Setup base, two_pi;
  int64_t length;  // tokens of the text; 0 where it is not known
};

// A slope from 0 for pairs that make more than `fast` turns within `length` positions to 1 for
// those that make fewer than `slow`.
struct Ramp {
  double fast, slow;
  int64_t length;
  bool truncate = true;  // begin and end at whole pairs

  template <class Math>
  auto over(const RuleInput<Math>& in) const {
    using std::ceil, std::floor, std::log;
    using Setup = typename Math::Setup;
    const auto pair_with = [&](double turns) {
      return Setup(in.rotary_dim * log(Setup(length) / (turns * in.two_pi)) / (2 * log(in.base)));
    };
    Setup low = pair_with(fast), high = pair_with(slow);
    if (truncate) low = floor(low), high = ceil(high);
    if (low < 0) low = 0;
    if (high > in.rotary_dim - 1) high = Setup(in.rotary_dim - 1);
    if (low == high) high += 0.001;  // the ends coincide: a step
    using Real = typename Math::Real;
    return [first = Real(low), width = Real(Setup(high - low))](int64_t k) {
      const Real x = (Real(k) - first) / width;
      return x < Real(0) ? Real(0) : x > Real(1) ? Real(1) : x;
    };
  }
};

// The base of NTK-aware scaling: base s^(D/(D-2)) slows the last pair by s and the first not at
// all.
template <class Math>
typename Math::Setup ntk_base(const RuleInput<Math>& in, const typename Math::Setup& s) {
  using std::pow;
  using Setup = typename Math::Setup;
  if (in.rotary_dim <= 2) return in.base;
  return in.base * pow(s, Setup(in.rotary_dim) / (in.rotary_dim - 2));
}

// The base that takes the place of the scheme's.
template <class Math, class Rule>
typename Math::Setup base_of(const Rule&, const RuleInput<Math>& in) {
  return in.base;
}
template <class Math>
typename Math::Setup base_of(const Ntk& rule, const RuleInput<Math>& in) {
  return ntk_base(in, typename Math::Setup(rule.factor));
}
template <class Math>
typename Math::Setup base_of(const DynamicNtk& rule, const RuleInput<Math>& in) {
  using Setup = typename Math::Setup;
  if (!rule.is_long(in.length)) return in.base;
  const Setup factor = rule.factor;
  const Setup s = factor * in.length / rule.max_position_embeddings - (factor - 1);
  if (s <= 0)
    fail(rule.name, "expected scaling.factor that leaves a positive base at ", in.length,
         " tokens, got ", rule.factor);
  return ntk_base(in, s);
}
template <class Math>
typename Math::Setup base_of(const VllmNtk& rule, const RuleInput<Math>& in) {
  return rule.mixed_b ? in.base : typename Math::Setup(in.base * rule.factor);
}

// The frequency of pair k, from its radian period base^(2k/D) = 1 / w_k.
template <class Math, class Rule>
auto scaled(const Rule&, const RuleInput<Math>&) {
  using Real = typename Math::Real;
  return [](int64_t, const Real& period) { return Real(1 / period); };
}
template <class Math>
auto scaled(const Linear& rule, const RuleInput<Math>&) {
  using Real = typename Math::Real;
  return [s = Real(rule.factor)](int64_t, const Real& period) { return Real(1 / period / s); };
}
template <class Math>
auto scaled(const DynamicLinear& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  using Setup = typename Math::Setup;
  const Setup longer = Setup(in.length) / rule.pretrained_max_position_embeddings;
  return [s = Real(rule.is_long(in.length) ? longer : Setup(rule.factor))](
             int64_t, const Real& period) { return Real(1 / period / s); };
}
template <class Math>
auto scaled(const Proportional& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  const double share = rule.partial_rotary_factor * static_cast<double>(in.rotary_dim);
  return [turning = static_cast<int64_t>(share) / 2, s = Real(rule.factor)](
             int64_t k, const Real& period) { return k < turning ? 1 / period / s : Real(0); };
}
template <class Math>
auto scaled(const LongRope& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  return [divisors = rule.is_long(in.length) ? rule.long_factor : rule.short_factor](
             int64_t k, const Real& period) {
    return Real(1 / (Real(divisors[static_cast<size_t>(k)]) * period));
  };
}
template <class Math>
auto scaled(const VllmNtk& rule, const RuleInput<Math>& in) {
  using std::exp, std::log, std::pow;
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Setup half = Setup(in.rotary_dim) / 2, s = rule.factor;
  const Setup b = rule.mixed_b.value_or(0), slope = log(s) / pow(half, b);
  const Real all = rule.mixed_b ? Real(1) : Real(Setup(pow(s, 1 / half)));
  return [all, b, slope, mixed = rule.mixed_b.has_value()](int64_t k, const Real& period) {
    return mixed ? Real(1 / period / Real(Setup(exp(slope * pow(Setup(k + 1), b)))))
                 : Real(1 / period / all);
  };
}
template <class Math>
auto scaled(const Yarn& rule, const RuleInput<Math>& in) {
  using Real = typename Math::Real;
  const Ramp ramp{rule.beta_fast, rule.beta_slow, rule.original_max_position_embeddings,
                  rule.truncate};
  return [slow = ramp.over(in), s = Real(rule.factor), all = Real(rule.extrapolation_factor)](
             int64_t k, const Real& period) {
    const Real keep = (1 - slow(k)) * all;
    return Real(1 / (s * period) * (1 - keep) + 1 / period * keep);
  };
}
template <class Math>
auto scaled(const ByParts& rule, const RuleInput<Math>& in) {
  using std::pow;
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Ramp to_linear{rule.beta_0, rule.beta_1, rule.original_max_position_embeddings};
  const Ramp to_scaled{rule.gamma_0, rule.gamma_1, rule.original_max_position_embeddings};
  return [linear = to_linear.over(in), part = to_scaled.over(in), s = Real(rule.factor),
          base = ntk_base(in, Setup(rule.factor)),
          dim = in.rotary_dim](int64_t k, const Real& period) {
    const Real ntk = 1 / Real(Setup(pow(base, Setup(2 * k) / dim)));
    const Real scaled = 1 / (s * period) * linear(k) + ntk * (1 - linear(k));
    return Real(scaled * part(k) + 1 / period * (1 - part(k)));
  };
}
template <class Math>
auto scaled(const Llama3& rule, const RuleInput<Math>& in) {
  using Setup = typename Math::Setup;
  using Real = typename Math::Real;
  const Setup length = rule.original_max_position_embeddings;
  return [s = Real(rule.factor), low = Real(rule.low_freq_factor), two_pi = Real(in.two_pi),
          longest = Real(Setup(length / rule.low_freq_factor)),
          shortest = Real(Setup(length / rule.high_freq_factor)), all = Real(length),
          width = Real(rule.high_freq_factor - rule.low_freq_factor)](int64_t, const Real& period) {
    const Real f = 1 / period, wavelength = two_pi / f;
    if (wavelength < shortest) return Real(f);
    if (wavelength > longest || width == Real(0)) return Real(f / s);
    const Real keep = (all / wavelength - low) / width;
    return Real((1 - keep) * f / s + keep * f);
  };
}

}  // namespace posenc
