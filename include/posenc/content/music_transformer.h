// music_transformer.h: a learned vector for each distance to past keys (Huang et al., 2018).
//
//   scores[i, j] += q_i . table[length - 1 - (i - j)]     j <= i; the last row is distance 0
//
// The usual code multiplies by the whole table and then skews the result, which leaves arbitrary
// numbers above the diagonal that must be masked. Here the term is 0 for keys after the query, and
// for keys `length` or more before it.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct MusicTransformer {
  static constexpr std::string_view name = "music-transformer";
  static constexpr std::string_view about = "a learned vector for each distance back";
  static constexpr std::string_view used_by = "Music Transformer (Huang et al. 2018)";

  int64_t dim = 64;
  int64_t heads = 0;
  int64_t length = 2048;

  static Fields fields();
  static std::vector<Preset<MusicTransformer>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  std::vector<Weight> weights() const;
  // The row for a distance, or -1.
  int64_t row(int64_t key_minus_query) const {
    return key_minus_query > 0 || key_minus_query <= -length ? -1 : key_minus_query + length - 1;
  }
};

}  // namespace posenc
