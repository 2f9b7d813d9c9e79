// linear.h: position interpolation (Chen et al., 2023), and pairs that stand still.
#pragma once

#include "posenc/rotary/scaling.h"

namespace POSENC_PUBLIC posenc {

struct NoScaling {
  static constexpr std::string_view name = "none";
  static constexpr auto fields() { return std::tuple{}; }
  void check() const {}
  template <class Math>
  auto scaled(const RuleInput<Math>&) const {
    using Real = typename Math::Real;
    return [](int64_t, const Real& period) { return Real(1 / period); };
  }
};

// Every frequency / factor.
struct Linear {
  static constexpr std::string_view name = "linear";
  double factor = 1;
  static constexpr auto fields() {
    return std::tuple{Field{"factor", &Linear::factor, "how many times longer"}};
  }
  void check() const { check_positive(name, "scaling.factor", factor); }
  template <class Math>
  auto scaled(const RuleInput<Math>&) const {
    using Real = typename Math::Real;
    return [s = Real(factor)](int64_t, const Real& period) { return Real(1 / period / s); };
  }
};

// Gemma 4's full-attention layers: the first pairs of the whole head turn, the rest stand still.
struct Proportional {
  static constexpr std::string_view name = "proportional";
  double partial_rotary_factor = 0.25, factor = 1;
  static constexpr auto fields() {
    using S = Proportional;
    return std::tuple{
        Field{"partial_rotary_factor", &S::partial_rotary_factor, "share of the pairs that turn"},
        Field{"factor", &S::factor, "how many times longer"}};
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_positive(name, "scaling.partial_rotary_factor", partial_rotary_factor);
    if (partial_rotary_factor > 1)
      fail(name, "expected scaling.partial_rotary_factor of at most 1, got ",
           partial_rotary_factor);
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using Real = typename Math::Real;
    const double share = partial_rotary_factor * static_cast<double>(in.rotary_dim);
    return [turning = static_cast<int64_t>(share) / 2, s = Real(factor)](
               int64_t k, const Real& period) { return k < turning ? 1 / period / s : Real(0); };
  }
};

}  // namespace posenc
