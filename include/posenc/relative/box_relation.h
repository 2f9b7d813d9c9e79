// box_relation.h: a linear map of sines and cosines of the relative position and size of two boxes
// (PP-DocLayoutV2's reading order).
//
//   z    = ln(|dx| / w + 1), ln(|dy| / h + 1), ln(w / key's w), ln(h / key's h)
//   bias = bias_0 + weight_0 [sin(scale z f_0) .., cos(scale z f_0) .. of each z in order]
//   f_k  = base^(-4 k / dim), k = 0 .. dim / 2 - 1
//
// Positions have four axes: centre x, centre y, width w and height h of a box; w and h above are
// the query's unless marked. eps is added to every width and height; negative ones count as 0.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct BoxRelation {
  static constexpr std::string_view name = "box-relation";
  static constexpr std::string_view about = "a learned map of the relation between two boxes";
  static constexpr std::string_view used_by = "PP-DocLayoutV2";

  int64_t heads = 8;
  int64_t dim = 16;
  double base = 10000;
  double scale = 100;
  double eps = 1e-5;

  static Fields fields();
  static std::vector<Preset<BoxRelation>> presets();
  void check() const;
  std::vector<Weight> weights() const;  // weight_0 [heads, 4 dim], bias_0 [heads]
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
