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
constexpr auto enum_names(CoordinateRange) { return names({"unit", "as-given"}); }

struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view about = "Fourier features with random (or trained) frequencies";

  int64_t coordinates = 2;
  int64_t features = 128;
  double deviation = 1;
  CoordinateRange range = CoordinateRange::unit;

  static Fields fields();
  static std::vector<Preset<Gaussian>> presets();
  void check() const;
  int64_t axes() const { return coordinates; }
  double shift() const {
    return range == CoordinateRange::unit ? -0.5 : 0;
  }  // 2c - 1 = 2 (c - 1/2)

  std::vector<Weight> weights() const;
  std::vector<Wave> waves(std::span<const Tensor> weights) const;
};

}  // namespace posenc
