// orders.h: calls as plain structs, which is all that a device is told.
//
// A verb checks what it was given, writes down the whole call as one of these and hands it to
// run(), which picks the device. src/cpu/ and src/cuda/ know how; they check nothing.
#pragma once

#include "absolute/row_source.h"
#include "base/places.h"
#include "rotary/magnitudes.h"

namespace posenc {

// out = x + row(place) for [..., tokens, dim]. Without x (rank 0) the rows alone; with ids, x is
// scale * embedding[id].
struct AddOrder {
  const RowSource& rows;
  Places at;
  Tensor x{}, out;
  Tensor ids{}, embedding{};
  double scale = 1;
  Device device() const { return out.device; }
};

// dweights += the gradient of what the rows are made of.
struct RowGradientOrder {
  const RowSource& rows;
  Places at;
  Tensor dout;
  std::span<const Tensor> dweights;
  Device device() const { return dout.device; }
};

// sums[id] += scale * dout, token after token.
struct ScatterOrder {
  Tensor ids, dout, sums;
  double scale;
  Device device() const { return dout.device; }
};

// Which features of a head turn, and which two of them together: `pairs` of them from `first` on,
// in blocks that each have the layout.
struct TurnSpan {
  int64_t dim, first, pairs, blocks;
  Layout layout;
};

// Queries or keys, [..., tokens, heads, dim], on their way; of rank 0 where they are not given.
struct TurningHeads {
  Tensor in{}, out{};
  int64_t first = 0, count = 0;  // heads that turn
};

enum class Way : uint8_t { forward, adjoint, inverse };

// out = in, turned by rows [cosines | sines], one for all heads or one for each.
struct TurnOrder {
  const RowSource& rows;
  int64_t row_heads;
  Places at;
  TurningHeads q, k;
  TurnSpan span;
  Magnitudes magnitudes;
  Way way = Way::forward;

  int64_t row() const { return 2 * span.pairs; }
  const Tensor& any() const { return q.in.rank > 0 ? q.in : k.in; }
  Device device() const { return any().device; }
};

// Keys turned, in place, from where and how they stand to where and how they should: by rows over
// the coordinates of both. One row serves all tokens that move alike where `may_share`.
struct MoveOrder {
  const RowSource &rows, &from, &to;
  int64_t row_heads;
  Places was, is;
  TurningHeads k;
  TurnSpan span;
  Magnitudes before, after;
  bool may_share;

  Device device() const { return k.in.device; }
};

// sums, f64, += the gradient of the frequencies that turned x (in q.in, k.in) to something of
// gradient dy (in q.out, k.out).
struct TurnGradientOrder {
  TurnOrder turn;
  Tensor sums;
  Device device() const { return turn.device(); }
};

void run(const AddOrder& order);
void run(const RowGradientOrder& order);
void run(const ScatterOrder& order);
void run(const TurnOrder& order);
void run(const MoveOrder& order);
void run(const TurnGradientOrder& order);

namespace cpu {
void run(const AddOrder& order);
void run(const RowGradientOrder& order);
void run(const ScatterOrder& order);
void run(const TurnOrder& order);
void run(const MoveOrder& order);
void run(const TurnGradientOrder& order);
}  // namespace cpu

namespace cuda {
bool is_built();
void run(const AddOrder& order);
void run(const RowGradientOrder& order);
void run(const ScatterOrder& order);
void run(const TurnOrder& order);
void run(const MoveOrder& order);
void run(const TurnGradientOrder& order);
}  // namespace cuda

}  // namespace posenc
