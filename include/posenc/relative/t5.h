// t5.h: a learned bias for each bucket of distances (Raffel et al., 2020).
//
//   bidirectional, 32 buckets, max_distance 128; key before the query:
//   distance  0 .. 7   8-11  12-15  16-22  23-31  32-45  46-63  64-90  91 ..     (+16 after it)
//   bucket    0 .. 7     8      9     10     11     12     13     14     15
//
// Half of the buckets have one distance each; the others grow by equal ratios. The boundaries
// are computed in integers, so no rounded logarithm can cross one.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct T5Bias {
  static constexpr std::string_view name = "t5";
  static constexpr std::string_view about = "a learned bias for each bucket of distances";
  static constexpr std::string_view used_by = "T5, mT5, UMT5, MPNet; with a gate WavLM (gated-t5)";

  int64_t heads = 8;
  int64_t buckets = 32;
  int64_t max_distance = 128;
  bool bidirectional = true;
  double scale = 1;

  static Fields fields();
  static std::vector<Preset<T5Bias>> presets();
  void check() const;
  std::vector<Weight> weights() const { return {{"table", {buckets, heads}, 0, 1}}; }
  // The first distance of each bucket on one side, in order; the last bucket has no end.
  std::vector<int64_t> bounds() const;
  int64_t bucket(int64_t key_minus_query) const;
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
