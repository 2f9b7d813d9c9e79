// toy.h: cosines whose frequencies are halved from column to column.
#pragma once

#include "posenc/field.h"
#include "posenc/wave.h"

namespace POSENC_PUBLIC posenc {

struct Toy {
  static constexpr std::string_view name = "toy";
  static constexpr std::string_view about = "cosines of halved frequencies";
  static constexpr std::string_view used_by = "nobody";

  int64_t dim = 8;

  static Fields fields();
  static std::vector<Preset<Toy>> presets();
  void check() const;
  int64_t axes() const { return 1; }
  std::vector<Weight> weights() const { return {}; }
  std::vector<Wave> waves(std::span<const Tensor>) const;
};

}  // namespace posenc
