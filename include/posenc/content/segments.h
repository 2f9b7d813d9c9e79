// segments.h: one of two learned vectors, depending on whether query and key are in the same
// segment (XLNet, Funnel).
//
//   scores[i, j] += (q_i + bias) . table[same segment or not]
//
// Positions are segment numbers: add() with {.queries = positions(segments), ...}. A causal mask
// must be applied by another call. Tokens of segment `joined`, such as Funnel's class token of
// segment 2, count as being in the same segment as every token.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

enum class SegmentRows : uint8_t { same_first, other_first };
constexpr auto enum_names(SegmentRows) { return names({"same-first", "other-first"}); }

struct Segments {
  static constexpr std::string_view name = "segments";
  static constexpr std::string_view about = "a learned vector for the same segment or another";
  static constexpr std::string_view used_by = "XLNet, Funnel";

  int64_t dim = 64;
  int64_t heads = 16;
  SegmentRows rows = SegmentRows::same_first;
  int64_t joined = -1;

  static Fields fields();
  static std::vector<Preset<Segments>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  std::vector<Weight> weights() const {
    return {{"table", {2, heads, dim}, 0, 0.02}, {"bias", {heads, dim}, 0, 0.02}};
  }
  // The row for two segments.
  int64_t row(int64_t query, int64_t key) const;
};

}  // namespace posenc
