// layout.h: learned biases for buckets of distances in the text and across the page.
//
//   scale (table[bucket(token distance)] + x[bucket(horizontal)] + y[bucket(vertical)])
//
// Positions have three axes: the token, and x and y of its box. The buckets are those of T5, keys
// before and after the query told apart.
//
//   LayoutLMv3   x of the left, y of the lower edge (entries 0 and 3 of the box), 0 .. 1000; it
//                divides scores and biases alike, which scale or ScaleOn::sum does
//   UDOP         the centre of the box in 0 .. 1; distances times box_scale in f32, cut to whole
//                numbers towards 0
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct LayoutBias {
  static constexpr std::string_view name = "layout";
  static constexpr std::string_view about =
      "learned biases for buckets of distances in the text and on the page";
  static constexpr std::string_view used_by = "LayoutLMv2, LayoutLMv3, UDOP";

  int64_t heads = 12;
  int64_t buckets = 32, max_distance = 128;  // buckets 0: the page alone
  int64_t box_buckets = 64, box_max_distance = 256;
  double box_scale = 1;
  double scale = 1;

  static Fields fields();
  static std::vector<Preset<LayoutBias>> presets();
  void check() const;
  // table [buckets, heads], where it has buckets; x and y [box_buckets, heads]
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
