// time2vec.h: a learned encoding of time (Kazemi et al., 2019).
//
//   row = [w_0 t + b_0, F(w_1 t + b_1), ..., F(w_n t + b_n)],   F = sin or cos
//
// The paper puts the linear term first; common PyTorch ports put it last.
#pragma once

#include <numbers>

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Activation : uint8_t { sine, cosine };
constexpr auto enum_names(Activation) {
  return std::to_array<std::string_view>({"sine", "cosine"});
}
enum class LinearTerm : uint8_t { first, last };
constexpr auto enum_names(LinearTerm) { return std::to_array<std::string_view>({"first", "last"}); }

struct Time2Vec {
  static constexpr std::string_view name = "time2vec";
  static constexpr std::string_view about = "learned frequencies and phases of time, and a trend";

  int64_t dim = 64;
  Activation activation = Activation::sine;
  LinearTerm linear = LinearTerm::first;

  static constexpr auto fields() {
    using S = Time2Vec;
    return std::tuple{Field{"dim", &S::dim, "columns, the linear one included"},
                      Field{"activation", &S::activation, "of the periodic columns"},
                      Field{"linear", &S::linear, "where the linear column stands"}};
  }

  static std::vector<Preset<Time2Vec>> presets() {
    return {{"paper", "Kazemi et al. 2019: linear term first, sines", {}}};
  }

  void check() const { check_size(name, "dim", dim); }
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const {
    return {{"frequency", {dim}, 0, 1}, {"phase", {dim}, 0, 1}};
  }

  std::vector<Wave> waves(std::span<const Tensor> weights) const {
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
};

}  // namespace posenc
