// move.cc: rotates cached keys by the difference of two plans.
#include <algorithm>

#include "base/dispatch.h"
#include "cpu/rotate.h"

namespace posenc::cpu {
namespace {

void copy_axis(const Coordinates& from, int64_t axis, Coordinates& to, int64_t at) {
  std::copy_n(from.whole[axis], from.rows, to.whole[at]);
  std::copy_n(from.part[axis], from.rows, to.part[at]);
  std::copy_n(from.rest[axis], from.rows, to.rest[at]);
  std::copy_n(from.value[axis], from.rows, to.value[at]);
}

// Whether every token moves by the same whole steps, on every axis.
bool moves_as_one(const Coordinates& was, const Coordinates& is, int64_t axes) {
  for (int64_t a = 0; a < axes; ++a)
    for (int64_t t = 0; t < is.rows; ++t)
      if (is.part[a][t] != was.part[a][t] || is.rest[a][t] != was.rest[a][t] ||
          is.whole[a][t] - was.whole[a][t] != is.whole[a][0] - was.whole[a][0])
        return false;
  return true;
}

void set_step(Coordinates& at, int64_t axis, int64_t steps) {
  at.whole[axis][0] = steps, at.part[axis][0] = at.rest[axis][0] = 0;
  at.value[axis][0] = static_cast<double>(steps);
}

// Fills the rows of one head for `count` tokens; whether one row serves all.
bool fill(const MoveOrder& order, int64_t row, int64_t token, int64_t count, int64_t column,
          const Rows& tile) {
  Coordinates before, after, both;
  locate(order.from, order.was, row, token, count, before);
  locate(order.to, order.is, row, token, count, after);
  const int64_t axes = order.to.axes;
  for (int64_t a = 0; a < axes; ++a) copy_axis(after, a, both, a);
  for (int64_t a = 0; a < order.from.axes; ++a) copy_axis(before, a, both, axes + a);
  const bool one = order.may_share && moves_as_one(before, after, axes);
  both.rows = one ? 1 : count;
  for (int64_t a = 0; one && a < axes; ++a) {
    set_step(both, a, after.whole[a][0] - before.whole[a][0]);
    set_step(both, axes + a, 0);
  }
  fill_at(order.rows, both, column, 2 * order.span.pairs, tile);
  const int64_t pairs = order.span.pairs;
  if (order.before.decay || order.after.decay)
    dispatch(tile.dtype, [&]<class T>() {
      if constexpr (std::is_floating_point_v<T>)
        for (int64_t t = 0; t < count; ++t)
          for (int64_t k = 0; k < pairs; ++k) {
            T* to = static_cast<T*>(tile.data) + t * tile.ld;
            const auto factor = static_cast<T>(order.after.pair(false, after.value[0][t], k) /
                                               order.before.pair(false, before.value[0][t], k));
            to[k] *= factor, to[pairs + k] *= factor;
          }
    });
  return one;
}

}  // namespace

void run(const MoveOrder& order) {
  const Side side(order.k, false);
  const int64_t width = 2 * order.span.pairs, own = order.row_heads, tokens = order.is.tokens;
  const int64_t shared = side.count / own;  // heads with the same rows
  const int64_t blocks = pieces(tokens, block_rows);
  const RotateKernel kernel = rotate_kernel(side.in.t.dtype, order.span.layout);
  const Tile size(tokens, width, compute_type(side.in.t.dtype));
  parallel_for_with(
      size.bytes, side.in.rows * blocks * own, side.bytes(), [&](int64_t i, char* memory) {
        const int64_t head = i % own, row = i / own / blocks, token = i / own % blocks * block_rows;
        const int64_t count = std::min(block_rows, tokens - token);
        const Rows tile = size.at(memory);
        const bool one = fill(order, row, token, count, head * width, tile);
        const int64_t first = side.first + head * shared;
        kernel(order.span, heads_at(side.in, row, token, first, 0),
               heads_at(side.out, row, token, first, 0), count, shared,
               {tile.data, order.span.pairs, one ? 0 : tile.ld}, exceeds_caches(side.bytes()));
      });
}

}  // namespace posenc::cpu
