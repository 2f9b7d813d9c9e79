// perceiver.h: Fourier features up to the Nyquist rate of a grid (Jaegle et al., 2021).
//
//   [x | sin(pi f x) for all axes | cos(pi f x) for all axes],   x in [-1, 1]
//
// f has `bands` values from 1 to max_resolution / 2 on each axis, in equal steps or equal ratios
// (octaves). timm's FourierEmbed groups the columns by band instead of by axis:
//
//   order  axes    [s_y0 s_y1 .. s_x0 s_x1 ..]       Perceiver
//          bands   [s_y0 s_x0 s_y1 s_x1 ..]          timm
#pragma once

#include "posenc/absolute/nerf.h"
#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class BandOrder : uint8_t { axes, bands };
constexpr auto enum_names(BandOrder) { return names({"axes", "bands"}); }

struct Perceiver {
  static constexpr std::string_view name = "perceiver";
  static constexpr std::string_view about = "Fourier features up to the Nyquist rate of a grid";
  static constexpr std::string_view used_by = "Perceiver, Perceiver IO, timm's FourierEmbed";

  std::vector<double> max_resolution{224, 224};
  int64_t bands = 64;
  bool concat_pos = true;
  bool sine_only = false;
  Spacing spacing = Spacing::linear;
  BandOrder order = BandOrder::axes;

  static Fields fields();
  static std::vector<Preset<Perceiver>> presets();
  void check() const;
  int64_t axes() const { return std::ssize(max_resolution); }
  std::vector<Weight> weights() const { return {}; }
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
