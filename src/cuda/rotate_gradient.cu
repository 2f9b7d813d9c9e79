// rotate_gradient.cu: the gradient of learned frequencies and phases.
//
//   (y_a, y_b) = (a cos - b sin, a sin + b cos)    dcos = dy_a a + dy_b b    dsin = dy_b a - dy_a b
//
// The sums of both over heads and batch rows, times how they change with the phase.
#include "base/dispatch.h"
#include "cuda/angles.h"
#include "cuda/wave_gradient.h"

namespace posenc::cuda {
namespace {

struct GradientSide {
  View x, dy;  // [..., tokens, heads, dim]
  int64_t first = 0, count = 0;

  GradientSide() = default;
  explicit GradientSide(const RotaryHeads& h) {
    if (h.in.rank == 0) return;
    x = View(h.in, 3), dy = View(h.out, 3), first = h.first, count = h.count;
  }
};

struct RotateGradientCall {
  DeviceRows rows;
  DeviceWaves slopes, units;
  DevicePlaces at;
  GradientSide q, k;
  DeviceMagnitudes magnitudes;
  Cut cut{};
  int64_t row_heads = 1, pairs = 0, block_pairs = 1, first = 0;
  bool halves_in = false, halves_out = false;
  double* sums = nullptr;  // [columns, axes + 2, parts]; not of amplitudes

  // Where a of a pair lies among the features of a head; b lies `apart` further.
  __device__ int64_t feature(bool halves, int64_t k, int64_t& apart) const {
    const Divided block = divided(k, block_pairs);
    apart = halves ? block_pairs : 1;
    return first + 2 * block.quotient * block_pairs + (halves ? block.rest : 2 * block.rest);
  }
};

struct PairSum {
  double cosine = 0, sine = 0;
};

// What heads of a side, at a token of some batch rows, say about the cosine and sine of pair k.
template <class T>
__device__ void add_heads(const RotateGradientCall& c, const GradientSide& side, int64_t first_row,
                          int64_t end_row, int64_t token, int64_t head, int64_t k, double factor,
                          PairSum& out) {
  if (side.count == 0) return;
  int64_t x_apart, dy_apart;
  const int64_t x_at = c.feature(c.halves_in, k, x_apart) * side.x.last[2];
  const int64_t dy_at = c.feature(c.halves_out, k, dy_apart) * side.dy.last[2];
  x_apart *= side.x.last[2], dy_apart *= side.dy.last[2];
  const int64_t shared = side.count / c.row_heads;  // heads with the same rows
  const int64_t first = head * shared, end = first + shared;
  PairSum sum;
  for (int64_t r = first_row; r < end_row; ++r) {
    const T* x = side.x.at<T>(r) + token * side.x.last[0] + x_at;
    const T* dy = side.dy.at<T>(r) + token * side.dy.last[0] + dy_at;
#pragma unroll 4
    for (int64_t h = side.first + first; h < side.first + end; ++h) {
      const T *from = x + h * side.x.last[1], *by = dy + h * side.dy.last[1];
      const double a = wide(from[0]), b = wide(from[x_apart]);
      const double da = wide(by[0]), db = wide(by[dy_apart]);
      sum.cosine = fma(da, a, fma(db, b, sum.cosine));
      sum.sine = fma(db, a, fma(-da, b, sum.sine));
    }
  }
  out.cosine = fma(factor, sum.cosine, out.cosine), out.sine = fma(factor, sum.sine, out.sine);
}

// A thread sums a pair, of a head where each has its own, over a part.
template <class T>
__global__ void __launch_bounds__(128, 4) sum_turns(const __grid_constant__ RotateGradientCall c) {
  const Divided by =
      divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.row_heads * c.pairs);
  const int64_t part = by.quotient;
  if (part >= c.cut.parts()) return;
  const Divided pair = divided(by.rest, c.pairs);
  const int64_t head = pair.quotient, k = pair.rest, column = head * 2 * c.pairs + k;
  const CutPart mine(c.cut, part);
  const int axes = c.units.axes;
  double rate[max_axes] = {}, phase = 0;
  for (int64_t n = mine.first; n < mine.end; ++n) {
    const Divided item = divided(n, c.cut.tokens);
    const int64_t row = item.quotient, token = item.rest;
    if (!stands(c.rows, c.at, row, token)) continue;
    const int64_t first = row + mine.first_row, end = row + mine.end_row;
    const double here = c.at.value(0, row, token) + c.units.shift;
    PairSum sum;
#pragma unroll 1
    for (int side = 0; side < 2; ++side)
      add_heads<T>(c, side == 0 ? c.q : c.k, first, end, token, head, k,
                   c.magnitudes.any() ? c.magnitudes.pair(side == 0, here, k) : 1, sum);
    // The columns of sines say by how much; a cosine is a quarter of a turn ahead of its sine.
    Turn turn[1];
    find_turns<1>(c.units, c.at, row, token, column + c.pairs, turn);
    const auto wave = unit_wave(turn[0], Compute<T>{});
    const double change =
        sum.sine * c.slopes.amplitude[column + c.pairs] * static_cast<double>(wave.y) -
        sum.cosine * c.slopes.amplitude[column] * static_cast<double>(wave.x);
    phase += change;
#pragma unroll
    for (int a = 0; a < max_axes; ++a)
      if (a < axes) rate[a] = fma(change, c.at.value(a, row, token) + c.units.shift, rate[a]);
  }
  // Both columns of a pair have the same links: what the sines get is for both.
#pragma unroll
  for (int a = 0; a < max_axes; ++a) {
    if (a >= axes) break;
    double* to = c.sums + (column * (axes + 2) + a) * c.cut.parts() + part;
    to[0] = 0, to[c.pairs * (axes + 2) * c.cut.parts()] = rate[a];
  }
  double* to = c.sums + (column * (axes + 2) + axes) * c.cut.parts() + part;
  to[0] = 0, to[c.pairs * (axes + 2) * c.cut.parts()] = phase;
}

}  // namespace

void run(const RotateGradientOrder& order) {
  const RotateOrder& rotation = order.rotation;
  const RotarySpan& span = rotation.span;
  if (rotation.any().elements() == 0 || span.pairs == 0) return;
  const DeviceStream stream(rotation.any(), order.stream);
  const DeviceDerivatives derivatives = derivatives_on(stream, rotation.rows);
  RotateGradientCall c{rows_on(stream, rotation.rows),
                       derivatives.slopes,
                       derivatives.units,
                       DevicePlaces(rotation.at),
                       GradientSide(rotation.q),
                       GradientSide(rotation.k),
                       DeviceMagnitudes(rotation.magnitudes)};
  c.row_heads = rotation.row_heads, c.pairs = span.pairs, c.block_pairs = span.pairs / span.blocks;
  c.first = span.first;
  c.halves_in = span.layout == Layout::half, c.halves_out = span.layout != Layout::interleaved;
  const int64_t threads = c.row_heads * c.pairs;
  c.cut = Cut(rotation.at, (rotation.q.in.rank > 0 ? c.q : c.k).x.rows, threads);
  const int64_t parts = c.cut.parts();
  const Temporary<double> sums(stream, rotation.rows.dim * (rotation.rows.axes + 2) * parts);
  c.sums = sums.data();
  dispatch(rotation.any().dtype, [&]<class T>() {
    launch(stream, "gradients of frequencies", shape_of(parts * threads, 128), sum_turns<T>, c);
  });
  add_linked(stream, derivatives.links, sums.data(), parts, {&order.sums, 1});
}

}  // namespace posenc::cuda
