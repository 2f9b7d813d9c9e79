// continuous.h: a small network of the offset between two tokens of a window.
//
//   swin-v2   x = sign(t) log2(1 + |t|) / 3,  t = 8 d / (side - 1)     16 sigmoid(network(x))
//   plain     x = sign(d) ln(1 + |d|)                                  network(x) + bias_1
//
// d = query - key along each side, `side` that of the window the network was trained on;
// network(x) = weight_1 relu(weight_0 [x of dy, x of dx] + bias_0). Tokens are counted row by row.
// The learned factor on Swin-V2's cosine scores is not part of the bias.
#pragma once

#include "posenc/relative/window.h"

namespace POSENC_PUBLIC posenc {

enum class ContinuousForm : uint8_t { swin_v2, plain };
constexpr auto enum_names(ContinuousForm) {
  return std::to_array<std::string_view>({"swin-v2", "plain"});
}

struct ContinuousBias {
  static constexpr std::string_view name = "continuous";
  static constexpr std::string_view about = "a learned network of the offset inside a window";

  int64_t heads = 3;
  int64_t height = 8, width = 8;
  std::optional<int64_t> pretrained_height{}, pretrained_width{};
  int64_t hidden = 512;
  ContinuousForm form = ContinuousForm::swin_v2;

  static constexpr auto fields() {
    using S = ContinuousBias;
    return std::tuple{
        Field{"heads", &S::heads, "heads of the whole model"},
        Field{"height", &S::height, "rows of tokens in the window"},
        Field{"width", &S::width, "tokens in a row"},
        Field{"pretrained_height", &S::pretrained_height, "of the window trained on; height"},
        Field{"pretrained_width", &S::pretrained_width, "of the window trained on; width"},
        Field{"hidden", &S::hidden, "width of the hidden layer"},
        Field{"form", &S::form, "what the network reads, and what becomes of its output"}};
  }
  static std::vector<Preset<ContinuousBias>> presets() {
    using S = ContinuousBias;
    return {
        {"swin-v2", "Swin-V2 tiny, first stage", {}},
        {"swin-v2-12-to-16", "Swin-V2 base, window 12 made 16",
         S{.heads = 4, .height = 16, .width = 16, .pretrained_height = 12, .pretrained_width = 12}},
        {"timm-cr", "timm's variant",
         S{.height = 7, .width = 7, .hidden = 128, .form = ContinuousForm::plain}}};
  }

  void check() const;
  WindowSize window() const { return {height, width}; }
  // What the network reads for an offset along a side.
  double input(int64_t offset, int64_t side) const;
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
