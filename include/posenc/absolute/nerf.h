// nerf.h: Fourier features of coordinates (Mildenhall et al., 2020).
//
//   [x, sin(2^0 x), cos(2^0 x), ..., sin(2^(bands-1) x), cos(2^(bands-1) x)]
//
// Each block covers all axes. As in the authors' code, there is no factor pi.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Spacing : uint8_t { octaves, linear };
constexpr auto enum_names(Spacing) { return names({"octaves", "linear"}); }

struct Nerf {
  static constexpr std::string_view name = "nerf";
  static constexpr std::string_view about = "Fourier features of coordinates, frequencies doubling";
  static constexpr std::string_view used_by = "NeRF";

  int64_t coordinates = 3;
  int64_t bands = 10;
  Spacing spacing = Spacing::octaves;
  bool include_input = true;

  static Fields fields();
  static std::vector<Preset<Nerf>> presets();
  void check() const;
  int64_t axes() const { return coordinates; }
  std::vector<Weight> weights() const { return {}; }
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
