// learned_grid.h: interpolation in a trained table of a grid of patches (ViT, Qwen3-VL).
//
//   row(y, x) = sum over the rows around (y, x) of weight * table[prefix + y' width + x']
//
// Coordinates are in units of the table's grid. For images of any size, also of many sizes in one
// batch, sampled() in posenc/positions/sampled.h makes them. Weights are those of
// torch.nn.functional.interpolate without antialias: 4 rows (linear) or 16 (cubic, a = -0.75).
// Outside the grid the border is repeated, or zeros are read, as in grid_sample. The first
// `prefix` rows belong to class tokens, which have the positions y = -1, -2, ... and read
// rows 0, 1, ...
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

enum class Between : uint8_t { linear, cubic };
constexpr auto enum_names(Between) { return names({"linear", "cubic"}); }

enum class Border : uint8_t { clamp, zeros };
constexpr auto enum_names(Border) { return names({"clamp", "zeros"}); }

struct Lookup;

struct LearnedGrid {
  static constexpr std::string_view name = "learned-grid";
  static constexpr std::string_view about = "a trained table of a grid, read between its rows";
  static constexpr std::string_view used_by =
      "ViT, DeiT, DINOv2, SigLIP, Qwen3-VL, Kimi-VL, Kimi-K2.5";

  int64_t dim = 768;
  int64_t height = 14, width = 14;
  int64_t prefix = 0;
  Between between = Between::cubic;
  Border border = Border::clamp;

  static Fields fields();
  static std::vector<Preset<LearnedGrid>> presets();
  void check() const;
  int64_t axes() const { return 2; }
  std::vector<Weight> weights() const;
  std::vector<Lookup> lookups() const;
};

}  // namespace posenc
