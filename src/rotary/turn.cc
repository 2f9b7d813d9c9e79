// turn.cc: rotate, its adjoint and its inverse.
#include "absolute/walk.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "rotary/magnitudes.h"
#include "rotary/sides.h"

namespace posenc {
namespace {

// out = factor * in, for features [first, end) of a head.
void pass(const cpu::Heads& in, const cpu::Heads& out, DType dtype, int64_t first, int64_t end,
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

// What does not turn: other features and other heads.
void pass_rest(const Rope& rope, const Side& side, int64_t row, int64_t token, double factor) {
  const int64_t first = rope.first_feature(), end = first + rope.turning();
  for (int64_t h = 0; h < side.in.t.size(-2); ++h) {
    const auto in = heads_at(side.in, row, token, h, 0), out = heads_at(side.out, row, token, h, 0);
    const bool turns = h >= side.first_head && h < side.first_head + side.heads;
    pass(in, out, side.in.t.dtype, 0, turns ? first : rope.dim, factor);
    if (turns) pass(in, out, side.in.t.dtype, end, rope.dim, factor);
  }
}

void pass_all(const RotaryPlan::Parts& parts, const Sides& sides, const Side& side, Way way,
              const Positions& at) {
  const Rope& rope = parts.scheme;
  const bool scales = side.is_query && rope.temperature.index() != 0;
  const bool some = rope.turning() < rope.dim || side.heads < side.in.t.size(-2);
  if (!some || (same_view(side.in.t, side.out.t) && !scales)) return;
  const bool shared = at.is_shared();
  parallel_for(sides.rows * sides.tokens, sides.bytes, [&](int64_t i) {
    const int64_t row = i / sides.tokens, token = i % sides.tokens;
    double factor = 1;
    if (scales) {
      cpu::Coordinates here;
      locate(parts.table.source(), at, shared ? 0 : row, token, 1, here);
      factor = query_factor(rope, here.value[0][0]);
    }
    pass_rest(rope, side, row, token, way == Way::inverse ? 1 / factor : factor);
  });
}

// A head whose pairs stand in halves, with its pairs side by side.
void to_interleaved(const cpu::Heads& in, const cpu::Heads& out, DType dtype, int64_t pairs) {
  dispatch(dtype, [&]<class T>() {
    T a[cpu::max_pairs], b[cpu::max_pairs];
    const auto* x = static_cast<const T*>(in.data);
    auto* y = static_cast<T*>(out.data);
    for (int64_t k = 0; k < pairs; ++k)
      a[k] = x[k * in.feature], b[k] = x[(pairs + k) * in.feature];
    for (int64_t k = 0; k < pairs; ++k)
      y[2 * k * out.feature] = a[k], y[(2 * k + 1) * out.feature] = b[k];
  });
}

// The way back of interleaved-in-half-out begins with the halves.
void undo_halves(const Rope& rope, const Side& side, const Part& part) {
  const int64_t pairs = rope.pairs() / rope.blocks;
  for (int64_t token = part.token; token < part.token + part.tokens; ++token)
    for (int64_t h = part.head; h < part.head + part.heads; ++h)
      for (int64_t b = 0; b < rope.blocks; ++b) {
        const int64_t feature = rope.first_feature() + 2 * b * pairs;
        to_interleaved(heads_at(side.in, part.row, token, h, feature),
                       heads_at(side.out, part.row, token, h, feature), side.in.t.dtype, pairs);
      }
}

void turn_one_way(const Rope& rope, const Side& side, Way way, const Part& part,
                  const cpu::Angles& angles, bool far) {
  if (way == Way::forward || *rope.layout != Layout::interleaved_in_half_out)
    return turn_part(rope, *rope.layout, side.in, side.out, part, angles, far);
  undo_halves(rope, side, part);
  turn_part(rope, Layout::interleaved, side.out, side.out, part, angles);
}

// Short texts in pieces of a block, long ones in longer runs, which cost fewer exact phases.
int64_t run_of(int64_t tokens) {
  return tokens < 8 * cpu::run_rows ? cpu::block_rows : cpu::run_rows;
}

// One piece: its rows block by block, as each side needs them, then the batch rows that share them.
struct Piece {
  const RotaryPlan::Parts& parts;
  const Sides& sides;
  Way way;
  const Positions& at;
  const Span& span;
  int64_t first, end;  // batch rows

  void turn_side(const Side& side, int64_t token, int64_t count, const cpu::Angles& angles) const {
    const bool own_rows = parts.heads_with_rows > 1;
    const int64_t head = side.first_head + (own_rows ? span.column / parts.row() : 0);
    const int64_t heads = own_rows ? 1 : side.heads;
    for (int64_t row = first; row < end; ++row)
      turn_one_way(parts.scheme, side, way, {row, token, count, head, heads}, angles, sides.far());
  }

  // The adjoint of a plain turn turns by the same angles to the other side.
  void turn_plainly(int64_t token, int64_t count, const cpu::Rows& tile) const {
    const cpu::Angles angles{tile.data, parts.scheme.pairs(), tile.ld, way == Way::adjoint};
    for (const auto& side : sides.both)
      if (side) turn_side(*side, token, count, angles);
  }

  [[gnu::noinline]] void turn_adjusted(int64_t token, int64_t count, const cpu::Rows& tile) const {
    alignas(64) char memory[tile_bytes];
    const cpu::Rows own{memory, tile.dtype, parts.row()};
    cpu::Coordinates here;
    locate(parts.table.source(), at, span.row, token, count, here);
    for (const auto& side : sides.both) {
      if (!side) continue;
      adjust_rows(parts, way, side->is_query, here, tile, own);
      turn_side(*side, token, count, {memory, parts.scheme.pairs(), own.ld});
    }
  }

  void turn() const {
    const bool plainly = way != Way::inverse && !sides_differ(parts.scheme);
    through_tile(parts.table.source(), at, span, compute_type(sides.dtype),
                 [&](int64_t token, int64_t count, const cpu::Rows& tile) {
                   plainly ? turn_plainly(token, count, tile) : turn_adjusted(token, count, tile);
                 });
  }
};

void turn_all(const RotaryPlan::Parts& parts, const Sides& sides, Way way, const Positions& at) {
  const Walk walk{sides.rows, sides.tokens, run_of(sides.tokens), sides.bytes};
  for_each_piece(parts.table.source(), at, walk, parts.row(),
                 [&](const Span& span, int64_t first, int64_t end) {
                   Piece{parts, sides, way, at, span, first, end}.turn();
                 });
}

void turn(const char* verb, Way way, const RotaryPlan& plan, const QueriesKeys& in,
          const QueriesKeys& out, const Positions& at) {
  const Sides sides = check_sides(verb, plan, in, out, at);
  const auto& parts = plan.parts();
  if (sides.rows * sides.tokens == 0) return;
  if (parts.row() > 0) turn_all(parts, sides, way, at);
  for (const auto& side : sides.both)
    if (side) pass_all(parts, sides, *side, way, at);
}

}  // namespace

void rotate(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
            const Positions& at) {
  turn("rotate", Way::forward, plan, in, out, at);
}

void rotate(const Rope& scheme, const QueriesKeys& x, const Positions& at,
            const PlanOptions& plan) {
  rotate(prepare(scheme, plan), x, at);
}

void rotate_adjoint(const RotaryPlan& plan, const QueriesKeys& dy, const QueriesKeys& dx,
                    const Positions& at) {
  turn("rotate_adjoint", Way::adjoint, plan, dy, dx, at);
}

void rotate_inverse(const RotaryPlan& plan, const QueriesKeys& in, const QueriesKeys& out,
                    const Positions& at) {
  turn("rotate_inverse", Way::inverse, plan, in, out, at);
}

}  // namespace posenc
