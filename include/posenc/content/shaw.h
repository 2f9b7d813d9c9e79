// shaw.h: a learned vector for each distance (Shaw, Uszkoreit & Vaswani, 2018).
//
//   scores[i, j] += q_i . table[row(j - i)]           left = right = 2:
//   outputs[i] += sum over j of P[i, j] table[row(j - i)]
//                                                     key - query  .. -3  -2  -1  0  1  2   3 ..
//   The first is add(), the second                    row, clip        0   0   1  2  3  4   4
//   add_to_outputs(), with a table of its own.        row, zero        -   0   1  2  3  4   -
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

enum class Beyond : uint8_t { clip, zero };
constexpr auto enum_names(Beyond) { return std::to_array<std::string_view>({"clip", "zero"}); }
enum class RowOrder : uint8_t { key_minus_query, query_minus_key };
constexpr auto enum_names(RowOrder) {
  return std::to_array<std::string_view>({"key-minus-query", "query-minus-key"});
}

struct Shaw {
  static constexpr std::string_view name = "shaw";
  static constexpr std::string_view about = "a learned vector for each distance, times the query";

  int64_t dim = 64;
  int64_t heads = 0;
  int64_t left = 16, right = 16;
  Beyond beyond = Beyond::clip;
  RowOrder order = RowOrder::key_minus_query;

  static constexpr auto fields() {
    using S = Shaw;
    return std::tuple{
        Field{"dim", &S::dim, "head size"},
        Field{"heads", &S::heads, "heads with a table each; 0: all heads share one"},
        Field{"left", &S::left, "the farthest key before the query that has its own row"},
        Field{"right", &S::right, "the farthest key after the query that has its own row"},
        Field{"beyond", &S::beyond, "farther keys: the last row, or nothing"},
        Field{"order", &S::order, "what grows from row to row"}};
  }
  static std::vector<Preset<Shaw>> presets() {
    return {{"paper", "Shaw et al. 2018", {}},
            {"wav2vec2-bert", "Wav2Vec2-BERT: 64 frames back, 8 ahead", {.left = 64, .right = 8}},
            {"vits",
             "VITS: nothing beyond 4 tokens",
             {.dim = 96, .left = 4, .right = 4, .beyond = Beyond::zero}},
            {"speecht5",
             "SpeechT5: rows by query - key, from -160 to 159",
             {.left = 159, .right = 160, .order = RowOrder::query_minus_key}}};
  }

  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  int64_t rows() const { return left + right + 1; }
  std::vector<Weight> weights() const {
    if (heads > 0) return {{"table", {heads, rows(), dim}, 0, 0.02}};
    return {{"table", {rows(), dim}, 0, 0.02}};
  }
  // The row for a distance, or -1.
  int64_t row(int64_t key_minus_query) const;
};

}  // namespace posenc
