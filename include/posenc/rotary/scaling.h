// scaling.h: length rules, which let a rotary model read texts longer than it was trained on.
//
// A rule is data on frequencies. It answers three questions, separately, because engines disagree
// on who applies which:
//
//   scaled          the frequency of pair k, from its radian period base^(2k/D) = 1 / w_k
//   cos_sin_factor  what the cosines and sines of q and k are multiplied by: scores get its square
//   softmax_factor  what the softmax scale is multiplied by; rotate() never applies this one
//
// One that depends on the length of the text also says how long a text its answers `serve`.
//
// A rule is written for any kind of number (Math): exact plans compute in wide arithmetic, the
// others with the roundings of f32 code. Math::Real holds what differs from pair to pair,
// Math::Setup what is worked out once.
#pragma once

#include <algorithm>
#include <cmath>

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

// What a rule is told.
template <class Math>
struct RuleInput {
  int64_t rotary_dim;  // D: features that turn
  typename Math::Setup base, two_pi;
  int64_t length;  // tokens of the text; 0 where it is not known
};

void check_length(std::string_view rule, std::string_view option, int64_t value);  // 1 .. 2^53

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

}  // namespace posenc
