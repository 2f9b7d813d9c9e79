// row_tiles.h: the rows that some tokens read, made a block at a time.
#pragma once

#include "base/batch.h"
#include "base/parallel.h"
#include "base/scratch.h"
#include "cpu/kernels/waves.h"
#include "orders/row_source.h"

namespace posenc::cpu {

// Some tokens of a batch row and some columns of what they read.
struct Span {
  int64_t row, token, tokens, column, columns;
};

// The coordinates of `count` tokens from `token` on; the source's shift is added.
void locate(const RowSource& source, const Places& at, int64_t row, int64_t token, int64_t count,
            Coordinates& out);
// Rows at the coordinates, whatever the source.
void fill_at(const RowSource& source, const Coordinates& at, int64_t column, int64_t columns,
             Rows out);
// Whether a token reads the row of zeros.
bool reads_zeros(const RowSource& source, const Places& at, int64_t row, int64_t token);

// How a call is cut: runs of tokens, chunks of columns, and groups of batch rows that share places.
// The cut does not depend on the number of threads, except that shared batch rows may be grouped.
struct Pieces {
  int64_t rows, tokens, columns;
  int64_t run, width;  // tokens and columns of a piece
  int64_t groups, runs, chunks;

  Pieces(const RowSource& source, const Places& at, int64_t batch_rows, int64_t most_tokens,
         int64_t most_columns, int64_t bytes);

  int64_t count() const { return groups * runs * chunks; }
  struct Piece {
    Span span;
    int64_t first, end;  // batch rows
  };
  Piece operator[](int64_t i) const {
    if (count() == 1) return {{0, 0, tokens, 0, columns}, 0, rows};
    const int64_t chunk = i % chunks, part = i / chunks % runs, group = i / chunks / runs;
    const int64_t first = group * rows / groups, end = (group + 1) * rows / groups;
    const int64_t token = part * run, column = chunk * width;
    return {
        {first, token, std::min(run, tokens - token), column, std::min(width, columns - column)},
        first,
        end};
  }
};

// Blocks of a span, one after the other: kept rows as they lie, others made in a tile of its own
// or, where `along`, one after the other from `to` on.
class RowTiles {
 public:
  RowTiles(const RowSource& source, const Places& at, const Span& span, Rows to, bool along = false)
      : source_(source), at_(at), span_(span), to_(to), rows_(to), along_(along) {
    if (to.dtype == DType::f32 && !along) find_kept();
  }
  RowTiles(const RowTiles&) = delete;

  // Whether there is one more block; then it is there.
  bool next();
  int64_t token() const { return token_; }
  int64_t count() const { return count_; }
  const Rows& rows() const { return rows_; }

 private:
  void find_kept();
  void begin();
  void make();

  const RowSource& source_;
  const Places& at_;
  const Span span_;
  Rows to_, rows_;
  bool along_, in_run_ = false;
  int64_t token_ = span_.token, count_ = 0;
  int64_t stop_ = span_.token;  // where the run, or what is looked up row by row, ends
  const float* kept_ = nullptr;
  RunState state_;
};

// A block of so many tokens and columns, which lie one row after the other.
struct Tile {
  int64_t ld, bytes;
  DType dtype;

  Tile(int64_t tokens, int64_t columns, DType type)
      : ld(pieces(columns, 16) * 16),
        bytes(std::min(tokens, block_rows) * ld * size_of(type)),
        dtype(type) {}
  Rows at(char* memory) const { return {memory, dtype, ld}; }
};

// Rows are made in a tile that stays in the second-level cache and holds whole rows of most models,
// so that the tensors they are applied to are read and written in long runs.
inline int64_t tile_columns(DType dtype) {
  return std::min(chunk_columns, int64_t{256} * 1024 / block_rows / size_of(dtype));
}

}  // namespace posenc::cpu
