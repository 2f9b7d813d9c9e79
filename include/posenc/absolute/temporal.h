// temporal.h: the fixed encoding of time stamps in temporal graph networks (PyTorch Geometric).
//
//   row[k] = cos(t w_k),   w_k = sqrt(dim)^(-sqrt(dim) k / (dim - 1)),   k = 0 .. dim - 1
//
// Its documentation prints the exponent (k - 1) / sqrt(dim); this is what the code computes.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct Temporal {
  static constexpr std::string_view name = "temporal";
  static constexpr std::string_view about = "fixed cosines of a time stamp";

  int64_t dim = 64;

  static constexpr auto fields() { return std::tuple{Field{"dim", &Temporal::dim, "columns"}}; }

  static std::vector<Preset<Temporal>> presets() {
    return {{"pyg", "torch_geometric TemporalEncoding", {}}};
  }

  void check() const { check_size(name, "dim", dim); }
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const { return {}; }

  std::vector<Wave> waves(std::span<const Tensor>) const {
    std::vector<Wave> out;
    for (const Frequency& f : geometric_root(dim)) out.push_back(cosine(f));
    return out;
  }
};

}  // namespace posenc
