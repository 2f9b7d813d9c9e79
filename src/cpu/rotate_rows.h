// rotate_rows.h: a rotation of queries and keys cut into pieces, and the rows that each side needs
// there.
#pragma once

#include "base/dispatch.h"
#include "cpu/rotate_span.h"
#include "cpu/row_tiles.h"

namespace posenc::cpu {

struct RotateRows {
  const TurnOrder& order;
  const TurnSpan& span = order.span;
  Side sides[2] = {{order.q, true}, {order.k, false}};
  int64_t bytes = sides[0].bytes() + sides[1].bytes();
  DType dtype = order.any().dtype, computed = compute_type(dtype);
  bool plain = order.way != Way::inverse && !order.magnitudes.any();

  // Calls f(piece, tiles, own, memory) for each block of rows, made once for all heads and batch
  // rows that share it; `own` is for angles(), `memory` so many bytes of the worker's.
  template <class F>
  void for_each_tile(int64_t memory_bytes, const F& f) const {
    if (order.row() == 0) return;
    const Pieces cut(order.rows, order.at, sides[order.q.in.rank > 0 ? 0 : 1].in.rows,
                     run_of(order.at.tokens), order.row(), bytes);
    const Tile tile(order.at.tokens, order.row(), computed);
    const int64_t own = plain ? 0 : tile.bytes, all = tile.bytes + own;
    parallel_for_with(all + memory_bytes, cut.count(), bytes, [&](int64_t i, char* memory) {
      const Pieces::Piece piece = cut[i];
      for (RowTiles tiles(order.rows, order.at, piece.span, tile.at(memory)); tiles.next();)
        f(piece, tiles, tile.at(memory + own), memory + all);
    });
  }

  // What turns a side: the rows as they are, or adjusted in `own`. The adjoint of a plain turn
  // turns by the same angles to the other side.
  Angles angles(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                const Rows& own) const {
    const Rows& rows = tiles.rows();
    if (plain) return {rows.data, span.pairs, rows.ld, order.way == Way::adjoint};
    dispatch_compute(computed, [&]<class C>() {
      for (int64_t t = 0; t < tiles.count(); ++t)
        adjust(side, place(piece.span.row, tiles.token() + t),
               static_cast<const C*>(rows.data) + t * rows.ld,
               static_cast<C*>(own.data) + t * own.ld);
    });
    return {own.data, span.pairs, own.ld};
  }

  // The heads of a side that a piece turns: those that share its rows.
  int64_t first_head(const Side& side, const Pieces::Piece& piece) const {
    return side.first + piece.span.column / order.row() * head_count(side);
  }
  int64_t head_count(const Side& side) const { return side.count / order.row_heads; }

  // Where a token stands on the first axis, the scheme's offset included.
  double place(int64_t row, int64_t token) const {
    return order.at.value(row, token) + shift_of(order.rows);
  }

 private:
  // Short texts in pieces of a block, long ones in longer runs, which cost fewer exact phases.
  static int64_t run_of(int64_t tokens) { return tokens < 8 * run_rows ? block_rows : run_rows; }

  template <class C>
  static void scale(const C* from, C* to, int64_t n, double factor) {
    const auto f = static_cast<C>(factor);
    for (int64_t k = 0; k < n; ++k) to[k] = from[k] * f;
  }

  // A row as one of q and k needs it, going that way.
  template <class C>
  void adjust(const Side& side, double position, const C* from, C* to) const {
    const Magnitudes& m = order.magnitudes;
    const double m2 = m.cos_sin_factor * m.cos_sin_factor;
    const int sign = order.way == Way::forward ? 1 : -1;
    const bool each = m.decay || (m.uneven && order.way == Way::inverse);
    const int64_t step = each ? 1 : span.pairs;  // pairs with one factor
    for (int64_t k = 0; k < span.pairs; k += step) {
      const double f = m.pair(side.is_query, position, k);
      double norm = m2;
      if (m.uneven) {
        const double c = from[k], s = from[span.pairs + k];
        norm = c * c + s * s;
      }
      const double factor = order.way == Way::inverse ? 1 / (f * norm) : f;
      scale(from + k, to + k, step, factor);
      scale(from + span.pairs + k, to + span.pairs + k, step, sign * factor);
    }
  }
};

}  // namespace posenc::cpu
