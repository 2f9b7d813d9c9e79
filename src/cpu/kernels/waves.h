// waves.h: kernels that fill table rows from waves.
//
// Rows at consecutive whole positions come from the theorem PE(p + k) = M_k PE(p): every run of
// rows starts from exact phases, every block of rows is seeded from the run by a rotation, and the
// rows inside a block follow the recurrence s(n+1) = 2 cos(w) s(n) - s(n-1), all in f64. Other rows
// and f64 tables are evaluated directly, each from its exact phase.
#pragma once

#include "cpu/kernels/rows.h"
#include "frequencies/phase.h"
#include "frequencies/waves.h"

namespace posenc::cpu {

inline constexpr int64_t run_rows = 512;        // rows between two exact phases
inline constexpr int64_t chunk_columns = 1024;  // most columns worked on together

// Positions of at most block_rows rows, the shift included: as WholeAndPart, and as doubles.
struct Coordinates {
  int64_t rows;
  int64_t whole[max_axes][block_rows];
  uint64_t part[max_axes][block_rows], rest[max_axes][block_rows];
  double value[max_axes][block_rows];
};

// Columns [column, column + columns) of the rows at the coordinates.
void fill_rows_at(const Waves& w, int64_t column, int64_t columns, const Coordinates& at, Rows out);

// Sine and cosine of every column of a chunk at the row that comes next.
struct RunState {
  double s[chunk_columns], c[chunk_columns];
};
// first: the position of the run's first row on each axis, the whole shift included.
void start_run(const Waves& w, int64_t column, int64_t columns, const int64_t* first,
               RunState& state);
// The next `rows` <= block_rows rows; all but the last call of a run must ask for block_rows.
void fill_run_rows(const Waves& w, int64_t column, int64_t columns, RunState& state, int64_t rows,
                   Rows out);

}  // namespace posenc::cpu
