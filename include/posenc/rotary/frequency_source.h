// frequency_source.h: the frequencies of the pairs, before any length rule.
#pragma once

#include "posenc/field.h"
#include "posenc/frequencies.h"

namespace POSENC_PUBLIC posenc {

// base^(-index / count): the usual 1, .., 1/base. In turns for encoders with coordinates from -1 to
// 1 (DINOv3).
struct Powers {
  static constexpr std::string_view name = "powers";
  Unit unit = Unit::radians;
  static Fields fields();
  void check() const {}
};

// Bands for coordinates from -1 to 1 (EVA, timm): pi 2^e, e from 0 to log2(max_res) - 1 in equal
// steps, or pi f, f from 1 to max_res / 2 in equal steps.
struct Pixels {
  static constexpr std::string_view name = "pixels";
  double max_res = 224;
  bool linear = false;
  static Fields fields();
  void check() const;
};

// One turn in each period; periods from min_period to max_period in equal ratios (DINOv3).
struct Periods {
  static constexpr std::string_view name = "periods";
  double min_period = 0.5, max_period = 90;
  static Fields fields();
  void check() const;
};

// Powers whose base differs from axis to axis: base^(-index / count), in radians per position
// (ESMFold2's atoms: 20 for x, y and z, 10000 for the number of the residue).
struct AxisPowers {
  static constexpr std::string_view name = "axis-powers";
  std::vector<double> bases{};
  static Fields fields();
  void check() const;
};

// A given list, in radians per position.
struct ListedFrequencies {
  static constexpr std::string_view name = "list";
  std::vector<double> values{};
  static Fields fields();
  void check() const;
};

// A weight: angle = sum over axes of position * frequency[head, pair, axis], in radians (RoPE-ViT's
// mixed frequencies, LightGlue). With one head, all heads share it.
struct LearnedFrequencies {
  static constexpr std::string_view name = "learned";
  int64_t heads = 1, axes = 2;
  static Fields fields();
  void check() const;
};

// The treatment of pairs whose frequency is dropped.
enum class RestPairs : uint8_t { still, ones };
constexpr auto enum_names(RestPairs) { return names({"still", "ones"}); }

// FoPE (Hua et al., 2024): each pair uses learned mixtures over all frequencies that remain, one
// for its cosine and one for its sine: c_d = sum over D of cos(position * w_D) C[0, head, D, d],
// and s_d with sines and C[1, head, D, d]. Powers above 2 pi / max_position_embeddings remain, or
// the first num_inv_freq. Other pairs become (a, b) -> (a - b, a + b) with `ones`, as in the
// paper's code and early vLLM, or are unchanged with `still`, as in later vLLM. If there are fewer
// heads of coefficients than heads, consecutive heads share them. A plan has
// max_position_embeddings rows.
struct Fourier {
  static constexpr std::string_view name = "fourier";
  int64_t heads = 1, max_position_embeddings = 4096;
  std::optional<int64_t> num_inv_freq{};
  RestPairs rest = RestPairs::ones;
  static Fields fields();
  void check() const;
  int64_t mixed(double base, int64_t pairs) const;  // number of frequencies that remain
};

using FrequencySource = std::variant<Powers, AxisPowers, Pixels, Periods, ListedFrequencies,
                                     LearnedFrequencies, Fourier>;

}  // namespace posenc
