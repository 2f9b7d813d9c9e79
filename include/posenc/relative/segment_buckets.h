// segment_buckets.h: T5's buckets within a segment, a learned bias for each pair of segments
// (CPM-Ant).
//
//   same segment      row bucket(key - query)
//   other segments    row buckets + segments * segment of the query + segment of the key
//
// Positions have two axes: the token's index, and its segment from 0 to segments - 1.
#pragma once

#include "posenc/relative/reads.h"

namespace POSENC_PUBLIC posenc {

struct SegmentBuckets {
  static constexpr std::string_view name = "segment-buckets";
  static constexpr std::string_view about =
      "a learned bias for each bucket of distances and pair of segments";
  static constexpr std::string_view used_by = "CPM-Ant";

  int64_t heads = 32;
  int64_t buckets = 512, max_distance = 2048;
  int64_t segments = 32;

  static Fields fields();
  static std::vector<Preset<SegmentBuckets>> presets();
  void check() const;
  int64_t rows() const { return buckets + segments * segments; }
  // The number of positions that a range, which is the same on both axes, can have.
  int64_t tokens() const { return segments; }
  std::vector<Weight> weights() const { return {{"table", {rows(), heads}, 0, 1}}; }
  BiasFormula formula(const WeightValues& weights) const;
};

}  // namespace posenc
