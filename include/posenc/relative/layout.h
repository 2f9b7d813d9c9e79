// layout.h: learned biases for buckets of distances in the text and across the page.
//
//   scale (table[bucket(token distance)] + x[bucket(horizontal)] + y[bucket(vertical)])
//
// Positions have three axes: the token's index, and x and y of its box. The buckets are T5's, with
// separate buckets for keys before and after the query.
//
//   LayoutLMv3   x of the left, y of the lower edge (entries 0 and 3 of the box), 0 .. 1000; it
//                divides scores and biases, for which use `scale` or ScaleOn::sum
//   UDOP         the centre of the box in 0 .. 1; distances times box_scale in f32, truncated to
//                integers
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct LayoutBias {
  static constexpr std::string_view name = "layout";
  static constexpr std::string_view about =
      "learned biases for buckets of distances in the text and on the page";
  static constexpr std::string_view used_by = "LayoutLMv2, LayoutLMv3, UDOP";

  int64_t heads = 12;
  int64_t buckets = 32, max_distance = 128;  // buckets 0: only the page
  int64_t box_buckets = 64, box_max_distance = 256;
  double box_scale = 1;
  double scale = 1;

  static Fields fields();
  static std::vector<Preset<LayoutBias>> presets();
  void check() const;
  // table [buckets, heads], if there are buckets; x and y [box_buckets, heads]
  std::vector<Weight> weights() const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
