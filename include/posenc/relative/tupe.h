// tupe.h: untied positions (Ke, He & Liu, 2021): dot products of projected positions.
//
//   bias(h, i, j) = position_queries[h, i] . position_keys[h, j] / sqrt(2 dim)
//                 + table[bucket(j - i), h]                          TUPE-R only
//
// A token reads the row of its position; positions beyond the table read its last row. A class
// token at position 0 is special: tables have one more row at the front, and for any other token
//
//   from the class token   position_queries[h, 0] . position_keys[h, 0]    bucket buckets / 2
//   to the class token     position_queries[h, 1] . position_keys[h, 1]    bucket `buckets`
//
// The two tables are two projections of the layer norm of the position embeddings, shared by
// all layers. The scores of contents need the same scale: {.scale = tupe.scale()}.
#pragma once

#include "posenc/relative/t5.h"

namespace POSENC_PUBLIC posenc {

struct Tupe {
  static constexpr std::string_view name = "tupe";
  static constexpr std::string_view about = "products of projected positions, apart from contents";
  static constexpr std::string_view used_by = "TUPE-A, TUPE-R (Ke et al. 2021)";

  int64_t heads = 12;
  int64_t dim = 64;
  int64_t rows = 512;
  int64_t buckets = 32;
  int64_t max_distance = 128;
  bool class_token = true;

  static Fields fields();
  static std::vector<Preset<Tupe>> presets();
  void check() const;
  std::vector<Weight> weights() const;
  double scale() const;  // 1 / sqrt(2 dim)
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
