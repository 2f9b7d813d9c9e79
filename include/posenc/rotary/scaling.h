// scaling.h: length rules (rope scaling), for texts longer than those in training.
//
// A rule gives three results, separately, because engines disagree on where each of them is
// applied:
//
//   frequencies     of every pair; src/rotary/scaling.h has the formulas
//   cos_sin_factor  multiplies the cosines and sines of q and k, so scores by its square
//   softmax_factor  multiplies the softmax scale; rotate() never applies it
//
// Rules that depend on the length of the text also give the length up to which results are valid.
#pragma once

#include "posenc/field.h"

namespace POSENC_PUBLIC posenc {

struct NoScaling {
  static constexpr std::string_view name = "none";
  static Fields fields() { return {}; }
  void check() const {}
};

// Position interpolation (Chen et al., 2023): every frequency / factor.
struct Linear {
  static constexpr std::string_view name = "linear";
  double factor = 1;
  static Fields fields();
  void check() const;
};

// Transformer Engine's interpolation: every frequency / factor up to factor * L0 tokens, beyond
// that / (L / L0) for a text of L tokens. Keys cached while the text was shorter have other
// frequencies: move() them.
struct DynamicLinear {
  static constexpr std::string_view name = "dynamic-linear";
  double factor = 1;
  int64_t pretrained_max_position_embeddings = 2048;
  static Fields fields();
  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const;
  bool is_long(int64_t length) const;
  void check() const;
};

// Gemma 4's full-attention layers: only the first pairs of the whole head are rotated.
struct Proportional {
  static constexpr std::string_view name = "proportional";
  double partial_rotary_factor = 0.25, factor = 1;
  static Fields fields();
  void check() const;
};

// NTK-aware, static: base' = base factor^(D/(D-2)). HunYuan's alpha is this factor.
struct Ntk {
  static constexpr std::string_view name = "ntk";
  double factor = 1;
  static Fields fields();
  void check() const;
};

// Dynamic: for a text of L > L0 tokens, factor L / L0 - (factor - 1) replaces the factor. Keys
// cached while the text was shorter have another base: move() them.
struct DynamicNtk {
  static constexpr std::string_view name = "dynamic";
  double factor = 1;
  int64_t max_position_embeddings = 2048;
  static Fields fields();
  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const {
    return is_long(length) ? length : max_position_embeddings;
  }
  bool is_long(int64_t length) const { return length > max_position_embeddings; }
  void check() const;
};

// vLLM's "ntk": w = (base s)^(-2k/D) / s^(2/D), which changes pair 0 too; with mixed_b,
// w = base^(-2k/D) / exp(a (k+1)^b), a = ln s / (D/2)^b.
struct VllmNtk {
  static constexpr std::string_view name = "vllm-ntk";
  double factor = 1;
  std::optional<double> mixed_b{};
  static Fields fields();
  void check() const;
};

// YaRN (Peng et al., 2023): keeps fast pairs, interpolates slow pairs, with a ramp between, and
// multiplies cosines and sines by g(weight) = 1 + 0.1 weight ln(factor).
struct Yarn {
  static constexpr std::string_view name = "yarn";
  double factor = 1;
  int64_t original_max_position_embeddings = 4096;
  double beta_fast = 32, beta_slow = 1;
  bool truncate = true;
  std::optional<double> attention_factor{}, mscale{}, mscale_all_dim{};
  double extrapolation_factor = 1, log_coefficient = 0.1;

  static Fields fields();
  void check() const;
  double magnitude(double weight) const;
  double cos_sin_factor(int64_t) const;
  double softmax_factor() const;  // DeepSeek's models
};

// NTK by parts, YaRN's predecessor: a ramp from linear to NTK, and one from that to unscaled.
struct ByParts {
  static constexpr std::string_view name = "by-parts";
  double factor = 1;
  int64_t original_max_position_embeddings = 2048;
  double beta_0 = 1.25, beta_1 = 0.75, gamma_0 = 16, gamma_1 = 2;

  static Fields fields();
  void check() const;
};

// Llama 3: pairs with many turns within the original length are kept, those with few are divided by
// factor, those between are blended.
struct Llama3 {
  static constexpr std::string_view name = "llama3";
  double factor = 8, low_freq_factor = 1, high_freq_factor = 4;
  int64_t original_max_position_embeddings = 8192;

  static Fields fields();
  void check() const;
};

// LongRoPE (Ding et al., 2024): one set of divisors up to the original length and one beyond. Keys
// cached with the short set do not match queries with the long set: move() them. Magnitude:
// sqrt(1 + ln(factor) / ln(length)).
struct LongRope {
  static constexpr std::string_view name = "longrope";
  std::vector<double> short_factor{}, long_factor{};
  int64_t original_max_position_embeddings = 4096;
  double factor = 1;
  std::optional<double> attention_factor{}, short_mscale{}, long_mscale{};

  static Fields fields();
  // The maximum length with the same frequencies as a text of `length` tokens.
  int64_t serves(int64_t length) const;
  void check() const;
  void check_pairs(int64_t pairs) const;
  double cos_sin_factor(int64_t length) const;
  bool is_long(int64_t length) const { return length > original_max_position_embeddings; }
};

// The closed list of rules: add the name of a new one here.
using Scaling = std::variant<NoScaling, Linear, DynamicLinear, Ntk, VllmNtk, DynamicNtk, Yarn,
                             ByParts, LongRope, Llama3, Proportional>;

}  // namespace posenc
