// rotate.cc: queries and keys rotated by rows.
#include "cpu/rotate.h"

#include "base/dispatch.h"
#include "base/half.h"

namespace posenc::cpu {
namespace {

template <class C>
void scale(const C* from, C* to, int64_t n, double factor) {
  const auto f = static_cast<C>(factor);
  for (int64_t k = 0; k < n; ++k) to[k] = from[k] * f;
}

}  // namespace

double shift_of(const RowSource& rows) {
  if (rows.table) return static_cast<double>(rows.table->offset);
  return static_cast<double>(rows.waves.shift_whole) +
         static_cast<double>(rows.waves.shift_part) * 0x1p-64;
}

// A row as one of q and k needs it, going that way.
template <class C>
void RotaryDriver::adjust(const Side& side, double position, const C* from, C* to) const {
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

Angles RotaryDriver::angles(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                            char* memory) const {
  const Rows& rows = tiles.rows();
  if (plain) return {rows.data, span.pairs, rows.ld, order.way == Way::adjoint};
  const Rows own = tile.at(memory + tile.bytes);
  dispatch_compute(computed, [&]<class C>() {
    for (int64_t t = 0; t < tiles.count(); ++t)
      adjust(side, place(piece.span.row, tiles.token() + t),
             static_cast<const C*>(rows.data) + t * rows.ld,
             static_cast<C*>(own.data) + t * own.ld);
  });
  return {own.data, span.pairs, own.ld};
}

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

struct Rotator : RotaryDriver {
  // The way back of interleaved-in-half-out begins with the halves.
  bool from_halves = order.way != Way::forward && span.layout == Layout::interleaved_in_half_out;
  RotateKernel kernel = rotate_kernel(dtype, from_halves ? Layout::interleaved : span.layout);
  bool fetch_ahead = exceeds_caches(bytes) && !from_halves;

  void rotate_side(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                   char* memory) const {
    const Angles by = angles(side, piece, tiles, memory);
    const int64_t head = first_head(side, piece), heads = head_count(side);
    for (int64_t row = piece.first; row < piece.end; ++row) {
      Heads in = heads_at(side.in, row, tiles.token(), head, 0);
      const Heads out = heads_at(side.out, row, tiles.token(), head, 0);
      if (from_halves) join_halves(side, row, tiles, head, heads), in = out;
      kernel(span, in, out, tiles.count(), heads, by, fetch_ahead);
    }
  }

  void join_halves(const Side& side, int64_t row, const RowTiles& tiles, int64_t head,
                   int64_t heads) const {
    const int64_t pairs = span.pairs / span.blocks;
    for (int64_t token = tiles.token(); token < tiles.token() + tiles.count(); ++token)
      for (int64_t h = head; h < head + heads; ++h)
        for (int64_t f = span.first; f < span.first + 2 * span.pairs; f += 2 * pairs)
          to_interleaved(heads_at(side.in, row, token, h, f), heads_at(side.out, row, token, h, f),
                         dtype, pairs);
  }

  // Copies the features and heads that are not rotated.
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
};

}  // namespace

void run(const RotateOrder& order) {
  const Rotator rotator{{order}};
  parallel_for_with(rotator.memory_bytes(), rotator.piece_count(), rotator.bytes,
                    [&](int64_t i, char* memory) {
                      const Pieces::Piece piece = rotator.cut[i];
                      for (RowTiles tiles = rotator.tiles(piece, memory); tiles.next();)
                        for (const Side& side : rotator.sides)
                          if (side.given()) rotator.rotate_side(side, piece, tiles, memory);
                    });
  for (const Side& side : rotator.sides)
    if (side.given()) rotator.pass_rest(side, side.in.t.data == side.out.t.data);
}

}  // namespace posenc::cpu
