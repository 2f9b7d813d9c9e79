// gaussian.h: random Fourier features of coordinates (Tancik et al., 2020; SAM's prompt encoder).
//
//   z = 2 pi (2 c - 1) B,   row = [sin z | cos z],   B [coordinates, features] normal numbers
//
// B is drawn once and stored with the model; where it is trained, its gradient is here too.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class CoordinateRange : uint8_t { unit, as_given };
constexpr auto enum_names(CoordinateRange) {
  return std::to_array<std::string_view>({"unit", "as-given"});
}

struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view about = "Fourier features with random (or trained) frequencies";

  int64_t coordinates = 2;
  int64_t features = 128;
  double deviation = 1;
  CoordinateRange range = CoordinateRange::unit;

  static constexpr auto fields() {
    using S = Gaussian;
    return std::tuple{
        Field{"coordinates", &S::coordinates, "axes of a position"},
        Field{"features", &S::features, "frequencies; a row has twice as many columns"},
        Field{"deviation", &S::deviation, "standard deviation of the frequencies at the start"},
        Field{"range", &S::range, "unit: coordinates in [0, 1] become 2c - 1; or as they are"}};
  }

  static std::vector<Preset<Gaussian>> presets() {
    return {{"sam", "Segment Anything: 2 x 128 frequencies", {}}};
  }

  void check() const {
    if (coordinates < 1 || coordinates > max_axes)
      fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
    check_size(name, "features", features);
    check_size(name, "columns", 2 * features);
    check_positive(name, "deviation", deviation);
  }

  int64_t axes() const { return coordinates; }
  double shift() const {
    return range == CoordinateRange::unit ? -0.5 : 0;
  }  // 2c - 1 = 2 (c - 1/2)

  std::vector<Weight> weights() const {
    return {{"frequencies", {coordinates, features}, 0, deviation}};
  }

  std::vector<Wave> waves(std::span<const Tensor> weights) const {
    const auto b = values(weights[0]);
    const double factor = range == CoordinateRange::unit ? 2 : 1;
    std::vector<Wave> out;
    for (Turn phase : {Turn{0}, quarter_turn})
      for (int64_t k = 0; k < features; ++k) {
        Wave wave{.kind = Wave::Kind::sine, .phase = phase};
        for (int64_t a = 0; a < coordinates; ++a) {
          const int64_t entry = a * features + k;
          wave.frequency.push_back(frequency(b[static_cast<size_t>(entry)], Unit::turns) * factor);
          wave.rate_link.push_back({0, entry, factor});
        }
        out.push_back(wave);
      }
    return out;
  }
};

}  // namespace posenc
