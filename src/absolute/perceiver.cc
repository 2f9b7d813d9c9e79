// perceiver.cc: Fourier features up to the Nyquist rate of a grid (Jaegle et al., 2021).
#include "posenc/absolute/perceiver.h"

#include <cmath>

namespace posenc {

Fields Perceiver::fields() {
  using S = Perceiver;
  return {{"max_resolution", &S::max_resolution, "points of the grid along each axis"},
          {"bands", &S::bands, "frequencies on each axis"},
          {"concat_pos", &S::concat_pos, "put the coordinates themselves in front"},
          {"sine_only", &S::sine_only, "leave the cosines out"},
          {"spacing", &S::spacing, "equal steps between frequencies (linear), or equal factors"},
          {"order", &S::order, "whether the bands of an axis or the axes of a band are adjacent"}};
}

std::vector<Preset<Perceiver>> Perceiver::presets() {
  return {{"image", "Perceiver on 224 x 224 images", {}},
          {"fourier-embed",
           "timm's FourierEmbed: the axes of a band side by side; coordinates from linspace",
           {.order = BandOrder::bands}}};
}

void Perceiver::check() const {
  if (axes() < 1 || axes() > max_axes)
    fail(name, "expected max_resolution for 1 to ", max_axes, " axes, got ", axes());
  check_size(name, "bands", bands);
  check_size(name, "columns", axes() * (concat_pos + bands * (sine_only ? 1 : 2)));
  for (double r : max_resolution) check_positive(name, "max_resolution", r);
  if (spacing == Spacing::octaves)
    for (double r : max_resolution)
      if (r < 2) fail(name, "expected max_resolution of at least 2 with octaves, got ", r);
}

namespace {

// In turns: sin(pi f x) makes f / 2 of them.
std::vector<Frequency> bands_of(const Perceiver& s, int64_t axis) {
  const double last = s.max_resolution[static_cast<size_t>(axis)] / 2;
  if (s.spacing == Spacing::linear) return linear(s.bands, 0.5, last / 2, Unit::turns);
  std::vector<Frequency> out;
  for (int64_t k = 0; k < s.bands; ++k) {
    const double share =
        s.bands > 1 ? static_cast<double>(k) / static_cast<double>(s.bands - 1) : 0;
    out.push_back(frequency(std::pow(last, share) / 2, Unit::turns));
  }
  return out;
}

}  // namespace

std::vector<Wave> Perceiver::waves(std::span<const Tensor>) const {
  std::vector<Wave> out;
  if (concat_pos)
    for (int64_t a = 0; a < axes(); ++a) out.push_back(line_of_axis(a, axes()));
  std::vector<std::vector<Frequency>> all;
  for (int64_t a = 0; a < axes(); ++a) all.push_back(bands_of(*this, a));
  for (Turn phase : {Turn{0}, quarter_turn}) {
    if (phase != 0 && sine_only) break;
    for (int64_t n = 0; n < axes() * bands; ++n) {
      const int64_t axis = order == BandOrder::axes ? n / bands : n % axes();
      const int64_t band = order == BandOrder::axes ? n % bands : n / axes();
      const Frequency& f = all[static_cast<size_t>(axis)][static_cast<size_t>(band)];
      out.push_back(sine_of_axis(axis, axes(), f, phase));
    }
  }
  return out;
}

}  // namespace posenc
