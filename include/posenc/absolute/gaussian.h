// gaussian.h: Fourier features of coordinates with random frequencies, which are stored or trained.
//
//   z = 2 pi (2 c - 1) B,   row = [sin z | cos z],   B [coordinates, features] normal numbers
//
//   form     sine-cosine    [sin z | cos z]            Tancik et al. 2020; SAM's prompt encoder
//            cosine-sine    [cos z | sin z]            learnable Fourier features, Li et al. 2021
//            phases         cos(z + 2 pi phases)       random phases: ESMFold2's noise level
//   unit     turns          z = 2 pi c B
//            radians        z = c B
//
// backward() gives the gradients of B and the phases.
#pragma once

#include "posenc/absolute/sinusoidal.h"
#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class CoordinateRange : uint8_t { unit, as_given };
constexpr auto enum_names(CoordinateRange) { return names({"unit", "as-given"}); }

enum class FourierForm : uint8_t { sine_cosine, cosine_sine, phases };
constexpr auto enum_names(FourierForm) { return names({"sine-cosine", "cosine-sine", "phases"}); }

struct Gaussian {
  static constexpr std::string_view name = "gaussian";
  static constexpr std::string_view about = "Fourier features with random (or trained) frequencies";
  static constexpr std::string_view used_by =
      "Tancik et al. 2020, SAM 1 to 3, Li et al. 2021, ESPnet, ESMFold2, AlphaFold 3";

  int64_t coordinates = 2;
  int64_t features = 128;
  double deviation = 1;
  CoordinateRange range = CoordinateRange::unit;
  FourierForm form = FourierForm::sine_cosine;
  Unit unit = Unit::turns;
  Norm norm = Norm::none;

  static Fields fields();
  static std::vector<Preset<Gaussian>> presets();
  void check() const;
  int64_t axes() const { return coordinates; }
  double shift() const {
    return range == CoordinateRange::unit ? -0.5 : 0;
  }  // 2c - 1 = 2 (c - 1/2)
  int64_t row_size() const { return form == FourierForm::phases ? features : 2 * features; }

  std::vector<Weight> weights() const;
  std::vector<Wave> waves(std::span<const Tensor> weights) const;
};

}  // namespace posenc
