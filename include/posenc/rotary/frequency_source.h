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
  static constexpr auto fields() {
    return std::tuple{Field{"unit", &Powers::unit, "what a frequency counts per position"}};
  }
  void check() const {}
};

// Bands for coordinates from -1 to 1 (EVA, timm): pi 2^e, e from 0 to log2(max_res) - 1 in equal
// steps, or pi f, f from 1 to max_res / 2 in equal steps.
struct Pixels {
  static constexpr std::string_view name = "pixels";
  double max_res = 224;
  bool linear = false;
  static constexpr auto fields() {
    using S = Pixels;
    return std::tuple{
        Field{"max_res", &S::max_res, "pixels of a side the bands are made for"},
        Field{"linear", &S::linear, "equal steps of the frequency, not its logarithm"}};
  }
  void check() const { check_positive("rope", "frequencies.max_res", max_res); }
};

// One turn in each period; periods from min_period to max_period in equal ratios (DINOv3).
struct Periods {
  static constexpr std::string_view name = "periods";
  double min_period = 0.5, max_period = 90;
  static constexpr auto fields() {
    using S = Periods;
    return std::tuple{Field{"min_period", &S::min_period, "of the first pair of an axis"},
                      Field{"max_period", &S::max_period, "of the last"}};
  }
  void check() const {
    check_positive("rope", "frequencies.min_period", min_period);
    check_positive("rope", "frequencies.max_period", max_period);
  }
};

// As given, in radians per position.
struct ListedFrequencies {
  static constexpr std::string_view name = "list";
  std::vector<double> values{};
  static constexpr auto fields() {
    return std::tuple{
        Field{"values", &ListedFrequencies::values, "radians per position, one for each pair"}};
  }
  void check() const {
    for (const double f : values) check_finite("rope", "frequencies.values", f);
  }
};

// A weight: angle = sum over axes of position * frequency[head, pair, axis], in radians (RoPE-ViT's
// mixed frequencies, LightGlue). One head: all heads share it.
struct LearnedFrequencies {
  static constexpr std::string_view name = "learned";
  int64_t heads = 1, axes = 2;
  static constexpr auto fields() {
    using S = LearnedFrequencies;
    return std::tuple{Field{"heads", &S::heads, "heads with frequencies of their own, or 1"},
                      Field{"axes", &S::axes, "coordinates of a token"}};
  }
  void check() const {
    check_size("rope", "frequencies.heads", heads);
    check_size("rope", "frequencies.axes", axes);
  }
};

using FrequencySource =
    std::variant<Powers, Pixels, Periods, ListedFrequencies, LearnedFrequencies>;

}  // namespace posenc
