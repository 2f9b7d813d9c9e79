// coordinates.h: real-valued positions of image patches, for rotary vision encoders.
//
// The coordinate of the i-th of n patches on a side, by rule:
//
//   linspace   -1 + 2 i / (n - 1)          timm and EVA on pixels; -1 for a single patch
//   index      i + offset                  timm otherwise
//   centers    2 (i + 1/2 + offset) / N - 1   DINOv3; N = n, or the smaller or larger side
//
// linspace and index may be rescaled to the pretraining grid: times reference / n.
#pragma once

#include "posenc/field.h"
#include "posenc/positions/grid.h"

namespace POSENC_PUBLIC posenc {

struct Linspace {
  static constexpr std::string_view name = "linspace";
  std::optional<double> reference_height{}, reference_width{};

  static Fields fields();
};

struct Indices {
  static constexpr std::string_view name = "index";
  double offset = 0;  // timm: grid_offset
  std::optional<double> reference_height{}, reference_width{};

  static Fields fields();
};

enum class SideRule : uint8_t { separate, min, max };
constexpr auto enum_names(SideRule) { return names({"separate", "min", "max"}); }

struct Centers {
  static constexpr std::string_view name = "centers";
  SideRule normalize = SideRule::separate;
  double offset = 0;

  static Fields fields();
};

using CoordinateRule = std::variant<Linspace, Indices, Centers>;

struct CoordinateGrid {
  int64_t height = 1, width = 1;
  CoordinateRule rule = Centers{};
  AxisOrder order = AxisOrder::yx;
  bool f32 = false;  // rounded at every step, like the f32 code of timm and Transformers
};

// [2, 1, height x width], row by row.
PlannedCoordinates coordinates(const CoordinateGrid& grid);

}  // namespace posenc
