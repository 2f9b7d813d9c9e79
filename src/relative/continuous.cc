// continuous.cc: a network of the offset, evaluated once for each offset.
#include "posenc/relative/continuous.h"

#include <cmath>

#include "relative/formula.h"
#include "relative/network_weights.h"

namespace posenc {
Fields ContinuousBias::fields() {
  using S = ContinuousBias;
  return {{"heads", &S::heads, "heads of the whole model"},
          {"height", &S::height, "rows of tokens in the window"},
          {"width", &S::width, "tokens in a row"},
          {"pretrained_height", &S::pretrained_height,
           "height of the window in training; `height` unless given"},
          {"pretrained_width", &S::pretrained_width,
           "width of the window in training; `width` unless given"},
          {"hidden", &S::hidden, "width of the hidden layer"},
          {"form", &S::form, "what the network reads, and what happens to its output"}};
}

std::vector<Preset<ContinuousBias>> ContinuousBias::presets() {
  using S = ContinuousBias;
  return {
      {"swin-v2", "Swin-V2 tiny, first stage", {}},
      {"swin-v2-12-to-16", "Swin-V2 base, window 12 made 16",
       S{.heads = 4, .height = 16, .width = 16, .pretrained_height = 12, .pretrained_width = 12}},
      {"timm-cr", "timm's variant, Swin-V2-CR",
       S{.height = 7, .width = 7, .hidden = 128, .form = ContinuousForm::plain}}};
}

void ContinuousBias::check() const {
  check_size(name, "heads", heads);
  check_size(name, "hidden", hidden);
  check_window(name, window());
  for (const auto& side : {pretrained_height, pretrained_width})
    if (side && *side < 2)
      fail(name, "expected pretrained_height and pretrained_width of at least 2, got ", *side);
}

double ContinuousBias::input(int64_t offset, int64_t side) const {
  if (offset == 0) return 0;
  const auto d = static_cast<double>(offset);
  if (form == ContinuousForm::plain) return std::copysign(std::log1p(std::abs(d)), d);
  return std::copysign(std::log2(1 + std::abs(8 * d / static_cast<double>(side - 1))) / 3, d);
}

std::vector<Weight> ContinuousBias::weights() const {
  return network_weights(2, hidden, 1, heads, form == ContinuousForm::plain);
}

BiasFormula ContinuousBias::formula(const WeightValues& weights) const {
  const bool plain = form == ContinuousForm::plain;
  const int64_t entries = window().offsets(), inputs = std::ssize(weights);
  forms::OffsetNetwork made{forms::shallow_network(0, 2, hidden, heads, plain), !plain,
                            inputs + 2 * entries, inputs};
  WeightValues block = weights;
  for (int64_t e = 0; e < entries; ++e) {
    const Offset d = offset_of(window(), e);
    block.push_back(input(d.dy, pretrained_height.value_or(height)));
    block.push_back(input(d.dx, pretrained_width.value_or(width)));
  }
  block.resize(static_cast<size_t>(made.outputs + entries * heads));
  made.block = block.data();
  for (int64_t e = 0; e < entries; ++e)
    for (int64_t h = 0; h < heads; ++h)
      block[static_cast<size_t>(made.outputs + e * heads + h)] = made.make(h, e);
  return {Reads::entry, true, made, std::move(block), {window(), WindowTable::swin}};
}

}  // namespace posenc
