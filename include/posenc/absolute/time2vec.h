// time2vec.h: a learned encoding of time (Kazemi et al., 2019).
//
//   row = [w_0 t + b_0, F(w_1 t + b_1), ..., F(w_n t + b_n)],   F = sin or cos
//
// The paper puts the linear term first; common PyTorch ports put it last.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Activation : uint8_t { sine, cosine };
constexpr auto enum_names(Activation) { return names({"sine", "cosine"}); }
enum class LinearTerm : uint8_t { first, last };
constexpr auto enum_names(LinearTerm) { return names({"first", "last"}); }

struct Time2Vec {
  static constexpr std::string_view name = "time2vec";
  static constexpr std::string_view about = "learned frequencies and phases of time, and a trend";
  static constexpr std::string_view used_by = "Time2Vec (Kazemi et al. 2019)";

  int64_t dim = 64;
  Activation activation = Activation::sine;
  LinearTerm linear = LinearTerm::first;

  static Fields fields();
  static std::vector<Preset<Time2Vec>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const;
  std::vector<Wave> waves(std::span<const Tensor> weights) const;
};

}  // namespace posenc
