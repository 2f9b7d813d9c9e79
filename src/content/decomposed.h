// decomposed.h: cells of grids and the rows of tables that they read, on the CPU and in kernels.
#pragma once

#include <array>

#include "base/both.h"
#include "posenc/absolute/resize.h"
#include "posenc/content/decomposed.h"

namespace posenc {

// One side, height or width, of the grids of queries and keys.
struct GridSide {
  int64_t queries = 1, keys = 1;  // cells of the whole grids
  // Where cell n stands on the side: n / step % side.
  int64_t query_step = 1, query_side = 1, key_step = 1, key_side = 1;

  // The row for two cells, or -1 where one is outside.
  POSENC_BOTH int64_t row(int64_t query, int64_t key) const {
    if (query < 0 || query >= queries || key < 0 || key >= keys) return -1;
    const int64_t a = query / query_step % query_side;
    const int64_t b = key_side - 1 - key / key_step % key_side;
    return query_side < key_side ? a * key_side / query_side + b : a + b * query_side / key_side;
  }
};

// A side, the rows of its table, and how many it was trained with.
struct TableSide {
  GridSide cells;
  int64_t rows, trained;
};
// Height and width.
std::array<TableSide, 2> sides_of(const Decomposed& s);

// The table [trained, dim] with as many rows as the side needs.
std::vector<double> resized_rows(const TableSide& side, int64_t dim, std::vector<double> rows);

}  // namespace posenc
