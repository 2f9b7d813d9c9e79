// grid_sinusoidal.h: sinusoids of patches of images and videos, a block of columns for each axis.
//
// Block b has a share of the columns, n_b pairs of them, and reads one axis:
//
//   sine, cosine of pair k     sin(c w_k), cos(c w_k),   c the coordinate on that axis
//
//   order  halves        [s_y | c_y | s_x | c_x]     MAE (x first), MoCo v3, tensor2tensor
//          interleaved   [s0 c0 s1 c1 of y | of x]   DETR
//          kinds         [s_y | s_x | c_y | c_x]     timm
//
// Blocks consist of whole pairs. If the columns cannot be divided evenly, `zero` sets the columns
// at the end to 0, and `cut` makes all blocks larger and truncates the last one.
#pragma once

#include "posenc/absolute/frequency_rule.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

using GridRule = std::variant<PaperRule, TimescalesRule>;  // applied to the columns of a block
enum class GridOrder : uint8_t { halves, interleaved, kinds };
constexpr auto enum_names(GridOrder) { return names({"halves", "interleaved", "kinds"}); }
enum class Uneven : uint8_t { zero, cut };
constexpr auto enum_names(Uneven) { return names({"zero", "cut"}); }

struct GridSinusoidal {
  static constexpr std::string_view name = "grid-sinusoidal";
  static constexpr std::string_view about = "fixed sines and cosines of each axis of a grid";
  static constexpr std::string_view used_by =
      "MAE, MoCo v3, DETR, Deformable DETR, MaskFormer, DiT, PixArt, V-JEPA, CogVideoX";

  int64_t dim = 768;
  int64_t coordinates = 2;
  double base = 10000;
  GridRule rule = PaperRule{};
  GridOrder order = GridOrder::halves;
  std::vector<double> block_axes{};
  std::vector<double> shares{};
  Uneven uneven = Uneven::zero;
  std::optional<int64_t> padding{};

  static Fields fields();
  static std::vector<Preset<GridSinusoidal>> presets();
  void check() const;
  int64_t axes() const { return coordinates; }
  std::vector<Weight> weights() const { return {}; }

  int64_t block_axis(int64_t block) const;
  int64_t block_pairs(int64_t block) const;
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
