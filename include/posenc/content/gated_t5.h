// gated_t5.h: T5's bias, multiplied by a gate of the hidden state (Chi et al., 2022): WavLM.
//
//   scores[i, j] += gate_i table[bucket(j - i)]
//   gate_i = a (b scale - 1) + 2,  a = sigmoid(sum of 4 of W x_i + w),  b that of the other 4
//
// x is the input of the layer, split into heads: pass it as q, [..., queries, heads, dim]. Buckets
// are those of T5, in both directions. All layers of a model share the table; W and w belong to a
// layer and are shared by its heads, each of which has its own scale.
#pragma once

#include "posenc/content/reads.h"
#include "posenc/relative/t5.h"

namespace POSENC_PUBLIC posenc {

struct GatedT5 {
  static constexpr std::string_view name = "gated-t5";
  static constexpr std::string_view about = "a bias for each bucket, times a gate of each query";
  static constexpr std::string_view used_by = "WavLM";

  int64_t dim = 64;
  int64_t heads = 12;
  int64_t buckets = 320;
  int64_t max_distance = 800;

  static Fields fields();
  static std::vector<Preset<GatedT5>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true, .hidden = true}; }
  TermFormula formula(const WeightLists&) const;
  std::vector<Weight> weights() const;
  T5Bias bias() const { return {.heads = heads, .buckets = buckets, .max_distance = max_distance}; }
};

}  // namespace posenc
