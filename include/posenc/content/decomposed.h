// decomposed.h: a learned vector for each row offset and each column offset in an image
// (Li et al., 2022): MViTv2, ViTDet, SAM.
//
//   scores[i, j] += q_i . table_h[row(y_i, y_j)] + q_i . table_w[row(x_i, x_j)]
//   row(a, b) = a max(k/q, 1) + (k - 1 - b) max(q/k, 1), rounded down
//
// q and k are the sides of the queries' and the keys' grids. Positions are cell numbers, row by
// row. The term is 0 for a token outside the grid, such as a class token before it: range(-1).
// A table has 2 n - 1 rows, n the longer side. A table trained for another side is first resized,
// linearly as in SAM, and its gradient is mapped back in the same way.
// Models add the term, of unscaled queries, to scaled scores (ScaleOn::scores).
// Rows are computed in integers. If neither side is a multiple of the other, code that multiplies
// in f32, such as transformers, is off by one in some rows.
#pragma once

#include "posenc/content/reads.h"

namespace POSENC_PUBLIC posenc {

struct Decomposed {
  static constexpr std::string_view name = "decomposed";
  static constexpr std::string_view about = "learned vectors of row and column offsets, times q";
  static constexpr std::string_view used_by = "MViTv2, ViTDet, SAM, SAM-HQ, SegGPT, GOT-OCR";

  int64_t dim = 64;
  int64_t height = 14, width = 14;
  int64_t key_height = 0, key_width = 0;
  int64_t table_height = 0, table_width = 0;
  static constexpr int64_t heads = 0;  // any number: they share the tables

  static Fields fields();
  static std::vector<Preset<Decomposed>> presets();
  void check() const;
  ContentReads reads() const { return {.dim = dim, .q = true, .distance = true}; }
  TermFormula formula(const WeightLists&) const;
  std::vector<Weight> weights() const;
  // The row, of 2 n - 1, for an index on a side of the queries' grid and one of the keys' grid.
  static int64_t row(int64_t query, int64_t key, int64_t query_side, int64_t key_side);
};

}  // namespace posenc
