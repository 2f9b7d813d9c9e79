// decomposed.h: a learned vector for each offset along the rows and the columns of a picture
// (Li et al., 2022): MViTv2, ViTDet, SAM.
//
//   scores[i, j] += q_i . table_h[row(y_i, y_j)] + q_i . table_w[row(x_i, x_j)]
//   row(a, b) = a max(k/q, 1) + (k - 1 - b) max(q/k, 1), rounded down
//
// q and k are the sides of the queries' and the keys' grids, whose cells are counted row by row: a
// position is a cell. A token that stands elsewhere gets nothing; so a class token before the grid
// is what range(-1) begins with. A table has 2 n - 1 rows, n the longer side; one that was trained
// for another side is resized first, linearly between its rows as SAM does, and so is its gradient
// brought back. Models add the term to scaled scores, of plain queries (ScaleOn::scores).
// Rows are found in whole numbers; where one side is no multiple of the other, code that multiplies
// in f32, as transformers does, misses some of them by one.
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
  // The row of a table of 2 n - 1 for places on a side of the queries' grid and of the keys'.
  static int64_t row(int64_t query, int64_t key, int64_t query_side, int64_t key_side);
};

}  // namespace posenc
