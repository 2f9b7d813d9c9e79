// perceiver.cc: Fourier features up to the Nyquist rate of a grid (Jaegle et al., 2021).
#include "posenc/absolute/perceiver.h"

namespace posenc {

Fields Perceiver::fields() {
  using S = Perceiver;
  return {{"max_resolution", &S::max_resolution, "points of the grid along each axis"},
          {"bands", &S::bands, "frequencies on each axis"},
          {"concat_pos", &S::concat_pos, "put the coordinates themselves in front"},
          {"sine_only", &S::sine_only, "leave the cosines out"}};
}

std::vector<Preset<Perceiver>> Perceiver::presets() {
  return {{"image", "Perceiver on 224 x 224 images", {}}};
}

void Perceiver::check() const {
  if (axes() < 1 || axes() > max_axes)
    fail(name, "expected max_resolution for 1 to ", max_axes, " axes, got ", axes());
  check_size(name, "bands", bands);
  check_size(name, "columns", axes() * (concat_pos + bands * (sine_only ? 1 : 2)));
  for (double r : max_resolution) check_positive(name, "max_resolution", r);
}

std::vector<Wave> Perceiver::waves(std::span<const Tensor>) const {
  std::vector<Wave> out;
  if (concat_pos)
    for (int64_t a = 0; a < axes(); ++a) out.push_back(line_of_axis(a, axes()));
  for (Turn phase : {Turn{0}, quarter_turn}) {
    if (phase != 0 && sine_only) break;
    for (int64_t a = 0; a < axes(); ++a)
      for (const Frequency& f :  // sin(pi f x) makes f / 2 turns
           linear(bands, 0.5, max_resolution[static_cast<size_t>(a)] / 4, Unit::turns))
        out.push_back(sine_of_axis(a, axes(), f, phase));
  }
  return out;
}

}  // namespace posenc
