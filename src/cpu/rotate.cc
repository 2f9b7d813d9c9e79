// rotate.cc: queries and keys turned by rows, which are made once for all heads and batch rows that
// share them.
#include "base/dispatch.h"
#include "base/half.h"
#include "base/parallel.h"
#include "cpu/row_tiles.h"
#include "cpu/turning.h"

namespace posenc::cpu {
namespace {

// A head whose pairs stand in halves, with its pairs side by side.
void to_interleaved(const Heads& in, const Heads& out, DType dtype, int64_t pairs) {
  dispatch(dtype, [&]<class T>() {
    T a[max_pairs], b[max_pairs];
    const auto* x = static_cast<const T*>(in.data);
    auto* y = static_cast<T*>(out.data);
    for (int64_t k = 0; k < pairs; ++k)
      a[k] = x[k * in.feature], b[k] = x[(pairs + k) * in.feature];
    for (int64_t k = 0; k < pairs; ++k)
      y[2 * k * out.feature] = a[k], y[(2 * k + 1) * out.feature] = b[k];
  });
}

// out = factor * in, for features [first, end) of a head.
void pass(const Heads& in, const Heads& out, DType dtype, int64_t first, int64_t end,
          double factor) {
  dispatch(dtype, [&]<class T>() {
    const auto scale = static_cast<Compute<T>>(factor);
    const auto* x = static_cast<const T*>(in.data);
    auto* y = static_cast<T*>(out.data);
    for (int64_t f = first; f < end; ++f)
      y[f * out.feature] =
          rounded_to<T>(scale * static_cast<Compute<T>>(as_double(x[f * in.feature])));
  });
}

template <class C>
void scale(const C* from, C* to, int64_t n, double factor) {
  const auto f = static_cast<C>(factor);
  for (int64_t k = 0; k < n; ++k) to[k] = from[k] * f;
}

struct Turner {
  const TurnOrder& order;
  const TurnSpan& span = order.span;
  Side sides[2] = {{order.q, true}, {order.k, false}};
  int64_t bytes = sides[0].bytes() + sides[1].bytes();
  DType dtype = order.any().dtype, computed = compute_type(dtype);
  bool plain = order.way != Way::inverse && !order.magnitudes.any();

  // tile: for rows as the source has them; own: as one of q and k needs them.
  void turn(const Pieces::Piece& piece, const Rows& tile, const Rows& own) const {
    for (RowTiles tiles(order.rows, order.at, piece.span, tile); tiles.next();)
      plain ? turn_plainly(piece, tiles) : turn_adjusted(piece, tiles, own);
  }

  // The adjoint of a plain turn turns by the same angles to the other side.
  void turn_plainly(const Pieces::Piece& piece, const RowTiles& tiles) const {
    const Rows& rows = tiles.rows();
    for (const Side& side : sides)
      if (side.given())
        turn_side(side, piece, tiles, {rows.data, span.pairs, rows.ld, order.way == Way::adjoint});
  }

  void turn_adjusted(const Pieces::Piece& piece, const RowTiles& tiles, const Rows& own) const {
    for (const Side& side : sides) {
      if (!side.given()) continue;
      dispatch(computed, [&]<class C>() {
        if constexpr (std::is_floating_point_v<C>)
          for (int64_t t = 0; t < tiles.count(); ++t)
            adjust(side, place(piece.span.row, tiles.token() + t),
                   static_cast<const C*>(tiles.rows().data) + t * tiles.rows().ld,
                   static_cast<C*>(own.data) + t * own.ld);
      });
      turn_side(side, piece, tiles, {own.data, span.pairs, own.ld});
    }
  }

  // A row as one of q and k needs it, going that way.
  template <class C>
  void adjust(const Side& side, double position, const C* from, C* to) const {
    const Magnitudes& m = order.magnitudes;
    const double m2 = m.cos_sin_factor * m.cos_sin_factor;
    const int sign = order.way == Way::forward ? 1 : -1;
    const int64_t step = m.decay ? 1 : span.pairs;  // pairs with one factor
    for (int64_t k = 0; k < span.pairs; k += step) {
      const double f = m.pair(side.is_query, position, k);
      const double factor = order.way == Way::inverse ? 1 / (f * m2) : f;
      scale(from + k, to + k, step, factor);
      scale(from + span.pairs + k, to + span.pairs + k, step, sign * factor);
    }
  }

  void turn_side(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                 const Angles& angles) const {
    const bool own_rows = order.row_heads > 1;
    const int64_t head = side.first + (own_rows ? piece.span.column / order.row() : 0);
    for (int64_t row = piece.first; row < piece.end; ++row)
      turn_heads(side, {row, tiles.token(), tiles.count(), head, own_rows ? 1 : side.count},
                 angles);
  }

  // The way back of interleaved-in-half-out begins with the halves.
  void turn_heads(const Side& side, const Part& part, const Angles& angles) const {
    if (order.way == Way::forward || span.layout != Layout::interleaved_in_half_out)
      return turn_part(span, span.layout, side.in, side.out, part, angles, is_far(bytes));
    const int64_t pairs = span.pairs / span.blocks;
    for (int64_t token = part.token; token < part.token + part.tokens; ++token)
      for (int64_t h = part.head; h < part.head + part.heads; ++h)
        for (int64_t f = span.first; f < span.first + 2 * span.pairs; f += 2 * pairs)
          to_interleaved(heads_at(side.in, part.row, token, h, f),
                         heads_at(side.out, part.row, token, h, f), dtype, pairs);
    turn_part(span, Layout::interleaved, side.out, side.out, part, angles);
  }

  // What does not turn: other features and other heads.
  void pass_rest(const Side& side, bool in_place) const {
    const bool scales = side.is_query && order.magnitudes.temperature;
    const bool some = order.row() < span.dim || side.count < side.in.t.size(-2);
    if (!some || (in_place && !scales)) return;
    const int64_t tokens = order.at.tokens;
    parallel_for(side.in.rows * tokens, bytes, [&](int64_t i) {
      const int64_t row = i / tokens, token = i % tokens;
      const double factor = scales ? order.magnitudes.query(place(row, token)) : 1;
      pass_token(side, row, token, order.way == Way::inverse ? 1 / factor : factor);
    });
  }

  void pass_token(const Side& side, int64_t row, int64_t token, double factor) const {
    for (int64_t h = 0; h < side.in.t.size(-2); ++h) {
      const auto in = heads_at(side.in, row, token, h, 0);
      const auto out = heads_at(side.out, row, token, h, 0);
      const bool turns = h >= side.first && h < side.first + side.count;
      pass(in, out, dtype, 0, turns ? span.first : span.dim, factor);
      if (turns) pass(in, out, dtype, span.first + order.row(), span.dim, factor);
    }
  }

  // Where a token stands on the first axis, the scheme's offset included.
  double place(int64_t row, int64_t token) const {
    const Waves& w = order.rows.waves;
    return order.at.value(row, token) +
           (static_cast<double>(w.shift_whole) + static_cast<double>(w.shift_part) * 0x1p-64);
  }
};

// Short texts in pieces of a block, long ones in longer runs, which cost fewer exact phases.
int64_t run_of(int64_t tokens) { return tokens < 8 * run_rows ? block_rows : run_rows; }

}  // namespace

void run(const TurnOrder& order) {
  const Turner turner{order};
  const Side& some = turner.sides[order.q.in.rank > 0 ? 0 : 1];
  if (order.row() > 0) {
    const Pieces cut(order.rows, order.at, some.in.rows, run_of(order.at.tokens), order.row(),
                     turner.bytes);
    const Tile tile(order.at.tokens, order.row(), turner.computed);
    const int64_t own = turner.plain ? 0 : tile.bytes;
    parallel_for_with(tile.bytes + own, cut.count(), turner.bytes, [&](int64_t i, char* memory) {
      turner.turn(cut[i], tile.at(memory), tile.at(memory + own));
    });
  }
  for (const Side& side : turner.sides)
    if (side.given()) turner.pass_rest(side, side.in.t.data == side.out.t.data);
}

}  // namespace posenc::cpu
