// frequency_source.h: where the frequencies of the pairs come from, before any length rule.
#pragma once

#include "posenc/field.h"
#include "posenc/frequencies.h"

namespace POSENC_PUBLIC posenc {

// base^(-index / count): the usual 1, .., 1/base. In turns for encoders whose coordinates span one
// unit (DINOv3).
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

// As given, in radians per position.
struct ListedFrequencies {
  static constexpr std::string_view name = "list";
  std::vector<double> values{};
  static Fields fields();
  void check() const;
};

// A weight: angle = sum over axes of position * frequency[head, pair, axis], in radians (RoPE-ViT's
// mixed frequencies, LightGlue). One head: all heads share it.
struct LearnedFrequencies {
  static constexpr std::string_view name = "learned";
  int64_t heads = 1, axes = 2;
  static Fields fields();
  void check() const;
};

using FrequencySource =
    std::variant<Powers, Pixels, Periods, ListedFrequencies, LearnedFrequencies>;

}  // namespace posenc
