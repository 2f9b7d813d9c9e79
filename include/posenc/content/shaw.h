// shaw.h: a learned vector for each distance (Shaw, Uszkoreit & Vaswani, 2018).
//
//   scores[i, j] += q_i . table[row(j - i)]           left = right = 2:
//   outputs[i] += sum over j of P[i, j] table[row(j - i)]
//                                                     key - query  .. -3  -2  -1  0  1  2   3 ..
//   The first is add(), the second                    row, clip        0   0   1  2  3  4   4
//   add_to_outputs(), with a separate table.          row, zero        -   0   1  2  3  4   -
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

enum class Beyond : uint8_t { clip, zero };
constexpr auto enum_names(Beyond) { return names({"clip", "zero"}); }
enum class RowOrder : uint8_t { key_minus_query, query_minus_key };
constexpr auto enum_names(RowOrder) { return names({"key-minus-query", "query-minus-key"}); }

struct Shaw {
  static constexpr std::string_view name = "shaw";
  static constexpr std::string_view about = "a learned vector for each distance, times the query";
  static constexpr std::string_view used_by =
      "Shaw et al. 2018, Wav2Vec2-BERT, VITS, SpeechT5; Inkling (with projected hidden states for "
      "q)";

  int64_t dim = 64;
  int64_t heads = 0;
  int64_t left = 16, right = 16;
  Beyond beyond = Beyond::clip;
  RowOrder order = RowOrder::key_minus_query;

  static Fields fields();
  static std::vector<Preset<Shaw>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  int64_t rows() const { return left + right + 1; }
  std::vector<Weight> weights() const;
  // The row for a distance, or -1.
  int64_t row(int64_t key_minus_query) const;
};

}  // namespace posenc
