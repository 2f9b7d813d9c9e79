// perceiver.h: Fourier features up to the Nyquist rate of a grid (Jaegle et al., 2021).
//
//   [x | sin(pi f x) for all axes | cos(pi f x) for all axes],   x in [-1, 1]
//
// f takes `bands` equal steps from 1 to max_resolution / 2 on each axis.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct Perceiver {
  static constexpr std::string_view name = "perceiver";
  static constexpr std::string_view about = "Fourier features up to the Nyquist rate of a grid";

  std::vector<double> max_resolution{224, 224};
  int64_t bands = 64;
  bool concat_pos = true;
  bool sine_only = false;

  static Fields fields();
  static std::vector<Preset<Perceiver>> presets();
  void check() const;
  int64_t axes() const { return std::ssize(max_resolution); }
  std::vector<Weight> weights() const { return {}; }
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
