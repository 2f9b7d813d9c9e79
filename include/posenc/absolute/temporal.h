// temporal.h: the fixed encoding of time stamps in temporal graph networks (PyTorch Geometric).
//
//   row[k] = cos(t w_k),   w_k = sqrt(dim)^(-sqrt(dim) k / (dim - 1)),   k = 0 .. dim - 1
//
// Its documentation gives the exponent (k - 1) / sqrt(dim); this is the formula of its code.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct Temporal {
  static constexpr std::string_view name = "temporal";
  static constexpr std::string_view about = "fixed cosines of a time stamp";
  static constexpr std::string_view used_by =
      "GraphMixer (Cong et al. 2023), PyTorch Geometric's TemporalEncoding";

  int64_t dim = 64;

  static Fields fields();
  static std::vector<Preset<Temporal>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const { return {}; }
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
