// rotate.h: what all drivers share that rotate queries or keys: sides, pieces, rows and angles.
#pragma once

#include "cpu/kernels/rotate.h"
#include "cpu/row_tiles.h"
#include "orders/orders.h"

namespace posenc::cpu {

// Queries, or keys.
struct Side {
  Batch in, out;
  int64_t first, count;  // heads that rotate
  bool is_query;

  Side(const RotaryHeads& h, bool query)
      : in(h.in, 3), out(h.out, 3), first(h.first), count(h.count), is_query(query) {}
  bool given() const { return in.t.rank > 0; }
  int64_t bytes() const { return given() ? in.t.elements() * size_of(in.t.dtype) : 0; }
};

// Feature `feature` of head `head` of a token, and from there on.
inline Heads heads_at(const Batch& batch, int64_t row, int64_t token, int64_t head,
                      int64_t feature) {
  const Tensor& t = batch.t;
  auto* data = static_cast<char*>(batch.at(row, token)) +
               (head * t.step(-2) + feature * t.step(-1)) * size_of(t.dtype);
  return {data, t.step(-3), t.step(-2), t.step(-1)};
}

// What is added to positions before rows are found.
double shift_of(const RowSource& rows);

// A rotation cut into pieces, and the rows that each side needs there.
struct RotaryDriver {
  const RotateOrder& order;
  const RotarySpan& span = order.span;
  Side sides[2] = {{order.q, true}, {order.k, false}};
  int64_t bytes = sides[0].bytes() + sides[1].bytes();
  DType dtype = order.any().dtype, computed = compute_type(dtype);
  bool plain = order.way != Way::inverse && !order.magnitudes.any();
  Pieces cut{order.rows,
             order.at,
             sides[order.q.in.rank > 0 ? 0 : 1].in.rows,
             run_of(order.at.tokens),
             std::max<int64_t>(1, order.row()),
             bytes};
  Tile tile{order.at.tokens, order.row(), computed};

  int64_t piece_count() const { return order.row() == 0 ? 0 : cut.count(); }
  // What a worker needs for the rows of a piece, and for those that are adjusted for a side.
  int64_t memory_bytes() const { return plain ? tile.bytes : 2 * tile.bytes; }
  // The rows, a block at a time, each for all heads and batch rows that share it.
  RowTiles tiles(const Pieces::Piece& piece, char* memory) const {
    return {order.rows, order.at, piece.span, tile.at(memory)};
  }
  // The angles that rotate a side: the rows as they are, or adjusted. The adjoint of a plain
  // rotation takes the same ones the other way.
  Angles angles(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                char* memory) const;

  // The heads of a side that a piece rotates: those that share its rows.
  int64_t first_head(const Side& side, const Pieces::Piece& piece) const {
    const int64_t column = piece.span.column;
    return side.first + (column == 0 ? 0 : column / order.row() * head_count(side));
  }
  int64_t head_count(const Side& side) const {
    return order.row_heads == 1 ? side.count : side.count / order.row_heads;
  }

  // Where a token stands on the first axis, the scheme's offset included.
  double place(int64_t row, int64_t token) const {
    return order.at.value(row, token) + shift_of(order.rows);
  }

 private:
  // Short texts in pieces of a block, long ones in longer runs, which cost fewer exact phases.
  static int64_t run_of(int64_t tokens) { return tokens < 8 * run_rows ? block_rows : run_rows; }

  template <class C>
  void adjust(const Side& side, double position, const C* from, C* to) const;
};

}  // namespace posenc::cpu
