// grid_sinusoidal.cc: sinusoids of patches of images and videos, a block of columns for each axis.
#include "posenc/absolute/grid_sinusoidal.h"

#include <algorithm>
#include <cmath>

namespace posenc {

Fields GridSinusoidal::fields() {
  using S = GridSinusoidal;
  return {{"dim", &S::dim, "columns: the size of the embedding"},
          {"coordinates", &S::coordinates, "axes of a position: 2 for images, 3 for videos"},
          {"base", &S::base, "base of the frequencies"},
          {"rule", &S::rule, "how the frequencies of a block follow from base and its columns"},
          {"order", &S::order, "order of the sines and cosines of the axes in a row"},
          {"block_axes", &S::block_axes, "the axis each block reads; 0, 1, ... unless given"},
          {"shares", &S::shares, "how the columns are shared by the blocks; equally unless given"},
          {"uneven", &S::uneven, "shares that are no whole pairs: zeros at the end, or cut there"},
          {"padding", &S::padding, "tokens here on the first axis have a row of zeros"}};
}

std::vector<Preset<GridSinusoidal>> GridSinusoidal::presets() {
  using S = GridSinusoidal;
  return {
      {"mae", "MAE, DiT, PixArt: x before y; the class token, at -1, gets zeros",
       S{.block_axes = {1, 0}, .padding = -1}},
      {"moco-v3", "MoCo v3, and timm with interleave_sin_cos: y before x", S{.padding = -1}},
      {"timm", "timm's build_sincos2d_pos_embed: sines of y and x, then cosines",
       S{.dim = 64, .order = GridOrder::kinds}},
      {"tensor2tensor-nd",
       "tensor2tensor's add_timing_signal_nd: w_k = base^(-k/(n-1)), columns left over are 0",
       S{.dim = 512, .rule = TimescalesRule{}}},
      {"detr", "DETR and its heirs: pairs side by side, y before x; positions from masked()",
       S{.dim = 256, .order = GridOrder::interleaved}},
      {"v-jepa", "V-JEPA on videos: half of the columns for t, a quarter each for y and x",
       S{.dim = 1024, .coordinates = 3, .shares = {2, 1, 1}}},
      {"v-jepa-uniform", "V-JEPA with uniform_power: as many columns for t, y and x, cut at dim",
       S{.dim = 1024, .coordinates = 3, .uneven = Uneven::cut}},
      {"cogvideox", "CogVideoX: a quarter of the columns for t, then x, then y",
       S{.dim = 1920, .coordinates = 3, .block_axes = {0, 2, 1}, .shares = {2, 3, 3}}}};
}

void GridSinusoidal::check() const {
  check_size(name, "dim", dim);
  if (coordinates < 1 || coordinates > max_axes)
    fail(name, "expected coordinates from 1 to ", max_axes, ", got ", coordinates);
  check_positive(name, "base", base);
  if (const auto* t = std::get_if<TimescalesRule>(&rule)) {
    check_positive(name, "rule.min_timescale", t->min_timescale);
    check_positive(name, "rule.max_timescale", t->max_timescale.value_or(base));
  }
  if (!block_axes.empty()) {
    std::vector<double> sorted = block_axes, all;
    std::sort(sorted.begin(), sorted.end());
    for (int64_t a = 0; a < coordinates; ++a) all.push_back(static_cast<double>(a));
    if (sorted != all)
      fail(name, "expected block_axes with each axis from 0 to ", coordinates - 1, " once, got ",
           text::write(block_axes));
  }
  if (!shares.empty() && std::ssize(shares) != coordinates)
    fail(name, "expected shares for ", coordinates, " blocks, got ", shares.size());
  for (double share : shares)
    if (share < 1 || share > 1e6 || share != std::floor(share))
      fail(name, "expected shares that are whole numbers from 1 to 1e6, got ", share);
  check_offset(name, padding.value_or(0));
  int64_t pairs = 0;
  for (int64_t b = 0; b < coordinates; ++b) pairs += block_pairs(b);
  if (pairs == 0)
    fail(name, "expected dim with room for a sine and a cosine of an axis, got ", dim, " for ",
         coordinates, " axes");
}

int64_t GridSinusoidal::block_axis(int64_t block) const {
  return block_axes.empty() ? block : static_cast<int64_t>(block_axes[static_cast<size_t>(block)]);
}

int64_t GridSinusoidal::block_pairs(int64_t block) const {
  int64_t own = 1, all = coordinates;
  if (!shares.empty()) {
    own = static_cast<int64_t>(shares[static_cast<size_t>(block)]), all = 0;
    for (double share : shares) all += static_cast<int64_t>(share);
  }
  return (dim * own + (uneven == Uneven::cut ? 2 * all - 1 : 0)) / (2 * all);
}

std::vector<Wave> GridSinusoidal::waves(std::span<const Tensor>) const {
  std::vector<Wave> out, cosines;
  const FrequencyRule block_rule = std::visit([](const auto& r) { return FrequencyRule(r); }, rule);
  for (int64_t b = 0; b < coordinates; ++b) {
    const int64_t pairs = block_pairs(b);
    std::vector<Wave>& last = order == GridOrder::kinds ? cosines : out;
    std::vector<Wave> second;
    for (const Frequency& f :
         frequencies(block_rule, base, 2 * pairs, pairs, Numerics::exact, Exponent::slope_first)) {
      out.push_back(sine_of_axis(block_axis(b), coordinates, f, 0));
      (order == GridOrder::interleaved ? out : second)
          .push_back(sine_of_axis(block_axis(b), coordinates, f, quarter_turn));
    }
    last.insert(last.end(), second.begin(), second.end());
  }
  out.insert(out.end(), cosines.begin(), cosines.end());
  out.resize(static_cast<size_t>(dim));  // cut there, or zeros
  return out;
}

}  // namespace posenc
