// deberta.h: disentangled attention (He et al., 2021), DeBERTa v1 to v3.
//
//   scores[i, j] += q_i . position_keys[row(i - j)]         c2p: content to position
//                 + k_j . position_queries[row(i - j)]      p2c: position to content
//   row(d) = clip(bucket(d) + span, 0, 2 span - 1)
//
// With b buckets, b > 0 (v2, v3), distances above b/2 share buckets that grow by equal ratios up to
// max_distance, and span = b. Otherwise every distance up to max_distance has its own row. The two
// tables are the projected position embeddings of a layer. Models scale the whole sum:
//
//   add(plan, {q, k}, scores, scores, {.scale = deberta.scale(), .scale_on = ScaleOn::sum});
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct Deberta {
  static constexpr std::string_view name = "deberta";
  static constexpr std::string_view about = "projected embeddings of the distance, times q and k";
  static constexpr std::string_view used_by = "DeBERTa v1 to v3";

  int64_t dim = 64;
  int64_t heads = 12;
  int64_t buckets = 256;
  int64_t max_distance = 512;
  bool c2p = true, p2c = true;

  static Fields fields();
  static std::vector<Preset<Deberta>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = c2p, .k = p2c, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  int64_t span() const { return buckets > 0 ? buckets : max_distance; }
  std::vector<Weight> weights() const;
  // The bucket of query - key, before it is clipped.
  int64_t bucket(int64_t query_minus_key) const;
  int64_t row(int64_t query_minus_key) const;
  // 1 / sqrt(dim (1 + terms)).
  double scale() const;
};

}  // namespace posenc
