// gaussian.cc: Fourier features whose frequencies are drawn, then stored or trained.
#include "posenc/absolute/gaussian.h"

#include <numbers>

namespace posenc {

Fields Gaussian::fields() {
  using S = Gaussian;
  return {{"coordinates", &S::coordinates, "axes of a position"},
          {"features", &S::features, "frequencies; with sines and cosines a row has twice as many"},
          {"deviation", &S::deviation, "standard deviation of the frequencies at the start"},
          {"range", &S::range, "unit: coordinates in [0, 1] become 2c - 1; or as they are"},
          {"form", &S::form, "sines and cosines, or cosines with phases of their own"},
          {"unit", &S::unit, "unit of the frequencies; a turn is 2 pi radians"},
          {"norm", &S::norm, "a factor on every row that depends on its columns"}};
}

std::vector<Preset<Gaussian>> Gaussian::presets() {
  const auto given = CoordinateRange::as_given;
  Gaussian learnable{.coordinates = 1, .features = 256, .range = given};
  learnable.form = FourierForm::cosine_sine;
  learnable.unit = Unit::radians, learnable.norm = Norm::rsqrt_dim;
  Gaussian esmfold{.coordinates = 1, .features = 256, .range = given};
  esmfold.form = FourierForm::phases;
  return {{"sam", "Segment Anything, SAM 2 and 3: 2 x 128 frequencies", {}},
          {"learnable-fourier",
           "Li et al. 2021, ESPnet's LearnableFourierPosEnc: deviation 1 / sqrt(gamma)", learnable},
          {"esmfold2", "ESMFold2: cos(2 pi (t f + phase)) of the noise level", esmfold}};
}

void Gaussian::check() const {
  if (coordinates < 1 || coordinates > max_axes)
    fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
  check_size(name, "features", features);
  check_size(name, "columns", row_size());
  if (unit == Unit::degrees) fail(name, "expected unit turns or radians, got degrees");
  check_positive(name, "deviation", deviation);
}

std::vector<Weight> Gaussian::weights() const {
  std::vector<Weight> out{{"frequencies", {coordinates, features}, 0, deviation}};
  if (form == FourierForm::phases) out.push_back({"phases", {features}, 0, 1});
  return out;
}

std::vector<Wave> Gaussian::waves(std::span<const Tensor> weights) const {
  const auto b = values(weights[0]);
  const bool phased = form == FourierForm::phases;
  const auto phases = phased ? values(weights[1]) : std::vector<double>{};
  const double factor = range == CoordinateRange::unit ? 2 : 1;
  const double turns = unit == Unit::turns ? 1 : 1 / (2 * std::numbers::pi);
  const double amplitude = norm_factor(norm, row_size());
  const bool cosines_first = form != FourierForm::sine_cosine;
  std::vector<Wave> out;
  for (int64_t c = 0; c < row_size(); ++c) {
    const int64_t k = c % features;
    const bool is_cosine = (c < features) == cosines_first;
    Wave wave{.kind = Wave::Kind::sine, .phase = is_cosine ? quarter_turn : 0};
    wave.amplitude = amplitude;
    for (int64_t a = 0; a < coordinates; ++a) {
      const int64_t entry = a * features + k;
      wave.frequency.push_back(frequency(b[static_cast<size_t>(entry)], unit) * factor);
      wave.rate_link.push_back({0, entry, factor * turns});
    }
    if (phased) {
      wave.phase += frequency(phases[static_cast<size_t>(k)], unit).hi;
      wave.offset_link = {1, k, turns};
    }
    out.push_back(wave);
  }
  return out;
}

}  // namespace posenc
