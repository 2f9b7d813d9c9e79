// rotate.cc: queries and keys turned by rows.
#include "base/half.h"
#include "cpu/rotate_rows.h"

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

struct Rotator : RotateRows {
  void rotate_side(const Side& side, const Pieces::Piece& piece, const RowTiles& tiles,
                   const Angles& angles) const {
    const int64_t head = first_head(side, piece), heads = head_count(side);
    for (int64_t row = piece.first; row < piece.end; ++row)
      rotate_tile(side, {row, tiles.token(), tiles.count(), head, heads}, angles);
  }

  // The way back of interleaved-in-half-out begins with the halves.
  void rotate_tile(const Side& side, const Part& part, const Angles& angles) const {
    if (order.way == Way::forward || span.layout != Layout::interleaved_in_half_out)
      return rotate_part(span, span.layout, side.in, side.out, part, angles, is_far(bytes));
    const int64_t pairs = span.pairs / span.blocks;
    for (int64_t token = part.token; token < part.token + part.tokens; ++token)
      for (int64_t h = part.head; h < part.head + part.heads; ++h)
        for (int64_t f = span.first; f < span.first + 2 * span.pairs; f += 2 * pairs)
          to_interleaved(heads_at(side.in, part.row, token, h, f),
                         heads_at(side.out, part.row, token, h, f), dtype, pairs);
    rotate_part(span, Layout::interleaved, side.out, side.out, part, angles);
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
};

}  // namespace

void run(const TurnOrder& order) {
  const Rotator rotator{{order}};
  rotator.for_each_tile(0, [&](const auto& piece, const auto& tiles, const Rows& own, char*) {
    for (const Side& side : rotator.sides)
      if (side.given())
        rotator.rotate_side(side, piece, tiles, rotator.angles(side, piece, tiles, own));
  });
  for (const Side& side : rotator.sides)
    if (side.given()) rotator.pass_rest(side, side.in.t.data == side.out.t.data);
}

}  // namespace posenc::cpu
