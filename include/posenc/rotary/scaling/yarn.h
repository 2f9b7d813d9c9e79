// yarn.h: rules that treat fast and slow pairs differently: YaRN, NTK by parts, Llama 3.
#pragma once

#include "posenc/rotary/scaling.h"

namespace POSENC_PUBLIC posenc {

// YaRN (Peng et al., 2023): fast pairs kept, slow pairs interpolated, a ramp between, and a
// magnitude g(weight) = 1 + 0.1 weight ln(factor) on cosines and sines.
struct Yarn {
  static constexpr std::string_view name = "yarn";
  double factor = 1;
  int64_t original_max_position_embeddings = 4096;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor{}, mscale{}, mscale_all_dim{};
  double extrapolation_factor = 1, log_coefficient = 0.1;

  static constexpr auto fields() {
    using S = Yarn;
    return std::tuple{
        Field{"factor", &S::factor, "how many times longer"},
        Field{"original_max_position_embeddings", &S::original_max_position_embeddings,
              "the length the model was trained on"},
        Field{"beta_fast", &S::beta_fast, "pairs that make more turns than this are kept"},
        Field{"beta_slow", &S::beta_slow, "pairs that make fewer turns are interpolated"},
        Field{"truncate", &S::truncate, "round the ends of the ramp to whole pairs"},
        Field{"attention_factor", &S::attention_factor, "the factor on cosines and sines, given"},
        Field{"mscale", &S::mscale, "g(mscale) / g(mscale_all_dim) on cosines and sines"},
        Field{"mscale_all_dim", &S::mscale_all_dim, "g(mscale_all_dim)^2 on the softmax scale"},
        Field{"extrapolation_factor", &S::extrapolation_factor, "how much fast pairs are kept"},
        Field{"log_coefficient", &S::log_coefficient, "the 0.1 of g (TeleChat3: 0.07)"}};
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_positive(name, "scaling.beta_slow", beta_slow);
    check_finite(name, "scaling.beta_fast", beta_fast);
    if (beta_fast < beta_slow)
      fail(name, "expected scaling.beta_fast of at least beta_slow ", beta_slow, ", got ",
           beta_fast);
    check_length(name, "scaling.original_max_position_embeddings",
                 original_max_position_embeddings);
    if (attention_factor) check_positive(name, "scaling.attention_factor", *attention_factor);
    if (mscale) check_finite(name, "scaling.mscale", *mscale);
    if (mscale_all_dim) check_finite(name, "scaling.mscale_all_dim", *mscale_all_dim);
    check_finite(name, "scaling.extrapolation_factor", extrapolation_factor);
    check_finite(name, "scaling.log_coefficient", log_coefficient);
    check_positive(name, "scaling.mscale and log_coefficient with a magnitude", magnitude(1));
    check_positive(name, "magnitude of scaling.mscale", magnitude(mscale.value_or(0)));
    check_positive(name, "magnitude of scaling.mscale_all_dim",
                   magnitude(mscale_all_dim.value_or(0)));
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using Real = typename Math::Real;
    const Ramp ramp{beta_fast, beta_slow, original_max_position_embeddings, truncate};
    return [slow = ramp.over(in), s = Real(factor), all = Real(extrapolation_factor)](
               int64_t k, const Real& period) {
      const Real keep = (1 - slow(k)) * all;
      return Real(1 / (s * period) * (1 - keep) + 1 / period * keep);
    };
  }
  double magnitude(double weight) const {
    return factor <= 1 ? 1 : log_coefficient * weight * std::log(factor) + 1;
  }
  double cos_sin_factor(int64_t) const {
    if (attention_factor) return *attention_factor;
    if (mscale.value_or(0) != 0 && mscale_all_dim.value_or(0) != 0)
      return magnitude(*mscale) / magnitude(*mscale_all_dim);
    return magnitude(1);
  }
  double softmax_factor() const {  // DeepSeek's models
    const double g = magnitude(mscale_all_dim.value_or(0));
    return g * g;
  }
};

// NTK by parts, YaRN's predecessor: a ramp from linear to NTK, and one from that to unscaled.
struct ByParts {
  static constexpr std::string_view name = "by-parts";
  double factor = 1;
  int64_t original_max_position_embeddings = 2048;
  double beta_0 = 1.25, beta_1 = 0.75, gamma_0 = 16, gamma_1 = 2;

  static constexpr auto fields() {
    using S = ByParts;
    return std::tuple{
        Field{"factor", &S::factor, "how many times longer"},
        Field{"original_max_position_embeddings", &S::original_max_position_embeddings,
              "the length the model was trained on"},
        Field{"beta_0", &S::beta_0, "turns from which it is NTK"},
        Field{"beta_1", &S::beta_1, "turns up to which it is linear"},
        Field{"gamma_0", &S::gamma_0, "turns from which nothing is scaled"},
        Field{"gamma_1", &S::gamma_1, "turns up to which it is scaled fully"}};
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_positive(name, "scaling.beta_1", beta_1);
    check_positive(name, "scaling.gamma_1", gamma_1);
    check_finite(name, "scaling.beta_0", beta_0);
    check_finite(name, "scaling.gamma_0", gamma_0);
    if (beta_0 < beta_1 || gamma_0 < gamma_1)
      fail(name, "expected scaling.beta_0 >= beta_1 and gamma_0 >= gamma_1, got ", beta_0, ", ",
           beta_1, ", ", gamma_0, " and ", gamma_1);
    check_length(name, "scaling.original_max_position_embeddings",
                 original_max_position_embeddings);
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using std::pow;
    using Setup = typename Math::Setup;
    using Real = typename Math::Real;
    const Ramp to_linear{beta_0, beta_1, original_max_position_embeddings};
    const Ramp to_scaled{gamma_0, gamma_1, original_max_position_embeddings};
    return
        [linear = to_linear.over(in), part = to_scaled.over(in), s = Real(factor),
         base = ntk_base(in, Setup(factor)), dim = in.rotary_dim](int64_t k, const Real& period) {
          const Real ntk = 1 / Real(Setup(pow(base, Setup(2 * k) / dim)));
          const Real scaled = 1 / (s * period) * linear(k) + ntk * (1 - linear(k));
          return Real(scaled * part(k) + 1 / period * (1 - part(k)));
        };
  }
};

// Llama 3: pairs that turn often within the original length are kept, those that hardly turn are
// divided by factor, those between are blended.
struct Llama3 {
  static constexpr std::string_view name = "llama3";
  double factor = 8, low_freq_factor = 1, high_freq_factor = 4;
  int64_t original_max_position_embeddings = 8192;

  static constexpr auto fields() {
    using S = Llama3;
    return std::tuple{
        Field{"factor", &S::factor, "how many times longer"},
        Field{"low_freq_factor", &S::low_freq_factor, "turns below which a pair is divided"},
        Field{"high_freq_factor", &S::high_freq_factor, "turns above which a pair is kept"},
        Field{"original_max_position_embeddings", &S::original_max_position_embeddings,
              "the length the model was trained on"}};
  }
  void check() const {
    check_positive(name, "scaling.factor", factor);
    check_positive(name, "scaling.low_freq_factor", low_freq_factor);
    check_finite(name, "scaling.high_freq_factor", high_freq_factor);
    if (high_freq_factor < low_freq_factor)
      fail(name, "expected scaling.high_freq_factor of at least low_freq_factor ", low_freq_factor,
           ", got ", high_freq_factor);
    check_length(name, "scaling.original_max_position_embeddings",
                 original_max_position_embeddings);
  }
  template <class Math>
  auto scaled(const RuleInput<Math>& in) const {
    using Setup = typename Math::Setup;
    using Real = typename Math::Real;
    const Setup length = original_max_position_embeddings;
    return [s = Real(factor), low = Real(low_freq_factor), two_pi = Real(in.two_pi),
            longest = Real(Setup(length / low_freq_factor)),
            shortest = Real(Setup(length / high_freq_factor)), all = Real(length),
            width = Real(high_freq_factor - low_freq_factor)](int64_t, const Real& period) {
      const Real f = 1 / period, wavelength = two_pi / f;
      if (wavelength < shortest) return Real(f);
      if (wavelength > longest || width == Real(0)) return Real(f / s);
      const Real keep = (all / wavelength - low) / width;
      return Real((1 - keep) * f / s + keep * f);
    };
  }
};

}  // namespace posenc
