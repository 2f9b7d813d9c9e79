// nerf.cc: Fourier features of coordinates (Mildenhall et al., 2020).
#include "posenc/absolute/nerf.h"

#include <cmath>

namespace posenc {

Fields Nerf::fields() {
  return {{"coordinates", &Nerf::coordinates, "axes of a position"},
          {"bands", &Nerf::bands, "frequencies on each axis"},
          {"spacing", &Nerf::spacing, "1, 2, 4, ... or equal steps from 1 to 2^(bands-1)"},
          {"include_input", &Nerf::include_input, "put the coordinates themselves in front"}};
}

std::vector<Preset<Nerf>> Nerf::presets() {
  return {{"position", "NeRF's points: 10 bands", {}},
          {"direction", "NeRF's viewing directions: 4 bands", {.bands = 4}}};
}

void Nerf::check() const {
  if (coordinates < 1 || coordinates > max_axes)
    fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
  if (bands < 1 || bands > 60) fail(name, "expected bands from 1 to 60, got ", bands);
}

std::vector<Wave> Nerf::waves(std::span<const Tensor>) const {
  const auto steps = linear(bands, 1, std::ldexp(1.0, static_cast<int>(bands) - 1), Unit::radians);
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

}  // namespace posenc
