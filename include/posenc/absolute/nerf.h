// nerf.h: Fourier features of coordinates (Mildenhall et al., 2020).
//
//   [x, sin(2^0 x), cos(2^0 x), ..., sin(2^(bands-1) x), cos(2^(bands-1) x)]
//
// Each block covers all axes before the next one starts. There is no factor pi, as in the code.
#pragma once

#include <cmath>

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Spacing : uint8_t { octaves, linear };
constexpr auto enum_names(Spacing) {
  return std::to_array<std::string_view>({"octaves", "linear"});
}

struct Nerf {
  static constexpr std::string_view name = "nerf";
  static constexpr std::string_view about = "Fourier features of coordinates, frequencies doubling";

  int64_t coordinates = 3;
  int64_t bands = 10;
  Spacing spacing = Spacing::octaves;
  bool include_input = true;

  static constexpr auto fields() {
    return std::tuple{
        Field{"coordinates", &Nerf::coordinates, "axes of a position"},
        Field{"bands", &Nerf::bands, "frequencies on each axis"},
        Field{"spacing", &Nerf::spacing, "1, 2, 4, ... or equal steps from 1 to 2^(bands-1)"},
        Field{"include_input", &Nerf::include_input, "put the coordinates themselves in front"}};
  }

  static std::vector<Preset<Nerf>> presets() {
    return {{"position", "NeRF's points: 10 bands", {}},
            {"direction", "NeRF's viewing directions: 4 bands", {.bands = 4}}};
  }

  void check() const {
    if (coordinates < 1 || coordinates > max_axes)
      fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
    if (bands < 1 || bands > 60) fail(name, "expected bands from 1 to 60, got ", bands);
  }

  int64_t axes() const { return coordinates; }
  std::vector<Weight> weights() const { return {}; }

  std::vector<Wave> waves(std::span<const Tensor>) const {
    const auto steps =
        linear(bands, 1, std::ldexp(1.0, static_cast<int>(bands) - 1), Unit::radians);
    std::vector<Wave> out;
    if (include_input)
      for (int64_t a = 0; a < coordinates; ++a) out.push_back(line_of_axis(a, coordinates));
    for (int64_t k = 0; k < bands; ++k) {
      const Frequency f = spacing == Spacing::linear
                              ? steps[static_cast<size_t>(k)]
                              : frequency(std::ldexp(1.0, static_cast<int>(k)));
      for (Turn phase : {Turn{0}, quarter_turn})
        for (int64_t a = 0; a < coordinates; ++a)
          out.push_back(sine_of_axis(a, coordinates, f, phase));
    }
    return out;
  }
};

}  // namespace posenc
