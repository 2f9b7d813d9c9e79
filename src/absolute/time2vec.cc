// time2vec.cc: a learned encoding of time (Kazemi et al., 2019).
#include "posenc/absolute/time2vec.h"

#include <numbers>

namespace posenc {

Fields Time2Vec::fields() {
  using S = Time2Vec;
  return {{"dim", &S::dim, "columns, the linear one included"},
          {"activation", &S::activation, "activation of the periodic columns"},
          {"linear", &S::linear, "place of the linear column"}};
}

std::vector<Preset<Time2Vec>> Time2Vec::presets() {
  return {{"paper", "Kazemi et al. 2019: linear term first, sines", {}}};
}

void Time2Vec::check() const { check_size(name, "dim", dim); }

std::vector<Weight> Time2Vec::weights() const {
  return {{"frequency", {dim}, 0, 1}, {"phase", {dim}, 0, 1}};
}

std::vector<Wave> Time2Vec::waves(std::span<const Tensor> weights) const {
  const auto w = values(weights[0]), b = values(weights[1]);
  const int64_t line = linear == LinearTerm::first ? 0 : dim - 1;
  const double turn = 1 / (2 * std::numbers::pi);
  std::vector<Wave> out;
  for (int64_t c = 0; c < dim; ++c) {
    const auto i = static_cast<size_t>(c);
    Wave wave;
    if (c == line) {
      wave = {.kind = Wave::Kind::line, .slope = {w[i]}, .intercept = b[i]};
    } else {
      wave = activation == Activation::sine ? sine(frequency(w[i])) : cosine(frequency(w[i]));
      wave.phase += frequency(b[i]).hi;
    }
    wave.rate_link = {{0, c, c == line ? 1 : turn}};
    wave.offset_link = {1, c, c == line ? 1 : turn};
    out.push_back(wave);
  }
  return out;
}

}  // namespace posenc
