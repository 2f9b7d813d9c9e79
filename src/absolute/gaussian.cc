// gaussian.cc: random Fourier features of coordinates (Tancik et al., 2020; SAM's prompt encoder).
#include "posenc/absolute/gaussian.h"

namespace posenc {

Fields Gaussian::fields() {
  using S = Gaussian;
  return {{"coordinates", &S::coordinates, "axes of a position"},
          {"features", &S::features, "frequencies; a row has twice as many columns"},
          {"deviation", &S::deviation, "standard deviation of the frequencies at the start"},
          {"range", &S::range, "unit: coordinates in [0, 1] become 2c - 1; or as they are"}};
}

std::vector<Preset<Gaussian>> Gaussian::presets() {
  return {{"sam", "Segment Anything: 2 x 128 frequencies", {}}};
}

void Gaussian::check() const {
  if (coordinates < 1 || coordinates > max_axes)
    fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
  check_size(name, "features", features);
  check_size(name, "columns", 2 * features);
  check_positive(name, "deviation", deviation);
}

std::vector<Weight> Gaussian::weights() const {
  return {{"frequencies", {coordinates, features}, 0, deviation}};
}

std::vector<Wave> Gaussian::waves(std::span<const Tensor> weights) const {
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

}  // namespace posenc
