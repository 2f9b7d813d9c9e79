// ntk.h: NTK-aware rules, which replace the base.
#pragma once

#include "posenc/rotary/scaling.h"

namespace POSENC_PUBLIC posenc {

// Static: base' = base factor^(D/(D-2)). HunYuan's alpha is this factor.
struct Ntk {
  static constexpr std::string_view name = "ntk";
  double factor = 1;
  static constexpr auto fields() {
    return std::tuple{Field{"factor", &Ntk::factor, "how many times longer (HunYuan: alpha)"}};
  }
  void check() const { check_positive(name, "scaling.factor", factor); }
  template <class Math>
  typename Math::Setup base(const RuleInput<Math>& in) const {
    return ntk_base(in, typename Math::Setup(factor));
  }
};

// Dynamic: factor L / L0 - (factor - 1) takes the factor's place once a text of L tokens is longer
// than L0. Keys cached while the text was shorter have another base: move() them.
struct DynamicNtk {
  static constexpr std::string_view name = "dynamic";
  double factor = 1;
  int64_t max_position_embeddings = 2048;
  static constexpr auto fields() {
    using S = DynamicNtk;
    return std::tuple{Field{"factor", &S::factor, "how fast the base grows with the text"},
                      Field{"max_position_embeddings", &S::max_position_embeddings,
                            "the length up to which nothing changes"}};
  }
  // How long texts may be that have the frequencies of one of `length` tokens.
  int64_t serves(int64_t length) const { return std::max(length, max_position_embeddings); }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_length(name, "scaling.max_position_embeddings", max_position_embeddings);
  }
  template <class Math>
  typename Math::Setup base(const RuleInput<Math>& in) const {
    using Setup = typename Math::Setup;
    if (in.length <= max_position_embeddings) return in.base;
    const Setup s = Setup(factor) * in.length / max_position_embeddings - (Setup(factor) - 1);
    if (s <= 0)
      fail(name, "expected scaling.factor that leaves a positive base at ", in.length,
           " tokens, got ", factor);
    return ntk_base(in, s);
  }
};

// vLLM's "ntk": w = (base s)^(-2k/D) / s^(2/D), which slows pair 0 too; with mixed_b,
// w = base^(-2k/D) / exp(a (k+1)^b), a = ln s / (D/2)^b.
struct VllmNtk {
  static constexpr std::string_view name = "vllm-ntk";
  double factor = 1;
  std::optional<double> mixed_b{};
  static constexpr auto fields() {
    return std::tuple{Field{"factor", &VllmNtk::factor, "how many times longer"},
                      Field{"mixed_b", &VllmNtk::mixed_b, "exponent of the mixed form"}};
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    if (mixed_b) check_finite(name, "scaling.mixed_b", *mixed_b);
  }
  template <class Math>
  typename Math::Setup base(const RuleInput<Math>& in) const {
    return mixed_b ? in.base : typename Math::Setup(in.base * factor);
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using std::exp, std::log, std::pow;
    using Setup = typename Math::Setup;
    using Real = typename Math::Real;
    const Setup half = Setup(in.rotary_dim) / 2, s = factor;
    const Setup b = mixed_b.value_or(0), slope = log(s) / pow(half, b);
    const Real all = mixed_b ? Real(1) : Real(Setup(pow(s, 1 / half)));
    return [all, b, slope, mixed = mixed_b.has_value()](int64_t k, const Real& period) {
      return mixed ? Real(1 / period / Real(Setup(exp(slope * pow(Setup(k + 1), b)))))
                   : Real(1 / period / all);
    };
  }
};

}  // namespace posenc
