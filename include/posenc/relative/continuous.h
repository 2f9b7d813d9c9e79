// continuous.h: a small network of the offset between two tokens of a window.
//
//   swin-v2   x = sign(t) log2(1 + |t|) / 3,  t = 8 d / (side - 1)     16 sigmoid(network(x))
//   plain     x = sign(d) ln(1 + |d|)                                  network(x) + bias_1
//
// d = query - key along each side; `side` is that of the window used in training;
// network(x) = weight_1 relu(weight_0 [x of dy, x of dx] + bias_0). Tokens are numbered row by row.
// The learned factor on Swin-V2's cosine scores is not part of the bias.
#pragma once

#include "posenc/relative/window.h"

namespace POSENC_PUBLIC posenc {

enum class ContinuousForm : uint8_t { swin_v2, plain };
constexpr auto enum_names(ContinuousForm) { return names({"swin-v2", "plain"}); }

struct ContinuousBias {
  static constexpr std::string_view name = "continuous";
  static constexpr std::string_view about = "a learned network of the offset inside a window";
  static constexpr std::string_view used_by = "Swin-V2";

  int64_t heads = 3;
  int64_t height = 8, width = 8;
  std::optional<int64_t> pretrained_height{}, pretrained_width{};
  int64_t hidden = 512;
  ContinuousForm form = ContinuousForm::swin_v2;

  static Fields fields();
  static std::vector<Preset<ContinuousBias>> presets();
  void check() const;
  WindowSize window() const { return {height, width}; }
  // The input of the network for an offset along a side.
  double input(int64_t offset, int64_t side) const;
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
