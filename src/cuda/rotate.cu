// rotate.cu: rotates queries and keys in one launch.
#include <algorithm>

#include "base/dispatch.h"
#include "cuda/angles.h"
#include "cuda/pairs.h"
#include "cuda/rotate_fast.h"

namespace posenc::cuda {
namespace {

struct RotateSide {
  View in, out;  // [..., tokens, heads, dim]
  int64_t first = 0, count = 0, heads = 0;
  int64_t groups = 0;                   // of heads that a thread takes together
  bool passes = false, scales = false;  // what is not rotated is copied, or multiplied
};

struct RotateCall {
  DeviceAngles angles;
  RotateSide q, k;
  int64_t tokens, all_tokens;  // of a batch row, and of all
  int64_t dim, first, pairs, block_pairs;
  int64_t row_heads, units;  // pieces of work of a head
  int64_t rotate_blocks;     // blocks from here on copy features and heads that are not rotated
};

// Where the numbers of a pair lie among the features of a head.
template <bool kHalves>
__device__ int64_t feature_of(const RotateCall& c, int64_t k, int64_t& apart) {
  const int64_t block = c.block_pairs == c.pairs ? 0 : k / c.block_pairs;
  const int64_t i = k - block * c.block_pairs, begin = c.first + 2 * block * c.block_pairs;
  apart = kHalves ? c.block_pairs : 1;
  return begin + (kHalves ? i : 2 * i);
}

// A thread copies, or multiplies, one feature that is not rotated.
template <class T>
__device__ void pass(const RotateCall& c) {
  const int64_t i = (blockIdx.x - c.rotate_blocks) * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const int64_t heads = (c.q.passes ? c.q.heads : 0) + (c.k.passes ? c.k.heads : 0);
  const Divided by_dim = divided(i, c.dim), by_head = divided(by_dim.quotient, heads);
  if (by_head.quotient >= c.all_tokens) return;
  const bool is_query = c.q.passes && by_head.rest < c.q.heads;
  const RotateSide& side = is_query ? c.q : c.k;
  const int64_t head = by_head.rest - (is_query || !c.q.passes ? 0 : c.q.heads);
  const int64_t f = by_dim.rest;
  if (head >= side.first && head < side.first + side.count && f >= c.first &&
      f < c.first + 2 * c.pairs)
    return;
  const Divided token = divided(by_head.quotient, c.tokens);
  const auto at = [&](const View& v) {
    return v.offset(token.quotient) + token.rest * v.last[0] + head * v.last[1] + f * v.last[2];
  };
  const T* from = reinterpret_cast<const T*>(side.in.data) + at(side.in);
  T* to = reinterpret_cast<T*>(side.out.data) + at(side.out);
  if (side.scales) {
    using C = Compute<T>;
    *to = narrow<T>(static_cast<C>(c.angles.passing(token.quotient, token.rest)) * wide(*from));
  } else {
    *to = *from;
  }
}

// A thread rotates kCount pairs in each of kHeads heads of a token.
template <int kCount, int kHeads, bool kHalves, class T>
__global__ void __launch_bounds__(128) rotate_heads(const __grid_constant__ RotateCall c) {
  using C = Compute<T>;
  if (blockIdx.x >= c.rotate_blocks) return pass<T>(c);
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided by_unit = divided(i, c.units);
  const Divided by_group = divided(by_unit.quotient, c.q.groups + c.k.groups);
  if (by_group.quotient >= c.all_tokens) return;
  const bool is_query = by_group.rest < c.q.groups;
  const RotateSide& side = is_query ? c.q : c.k;
  const int64_t head = (by_group.rest - (is_query ? 0 : c.q.groups)) * kHeads;
  const Divided token = divided(by_group.quotient, c.tokens);
  const int64_t k = by_unit.rest * kCount;
  int64_t apart;
  const int64_t feature = feature_of<kHalves>(c, k, apart);
  const int64_t in_step = side.in.last[2], out_step = side.out.last[2];
  const T* from = reinterpret_cast<const T*>(side.in.data) + side.in.offset(token.quotient) +
                  token.rest * side.in.last[0] + (side.first + head) * side.in.last[1] +
                  feature * in_step;
  T* to = reinterpret_cast<T*>(side.out.data) + side.out.offset(token.quotient) +
          token.rest * side.out.last[0] + (side.first + head) * side.out.last[1] +
          feature * out_step;
  const int heads = static_cast<int>(min(static_cast<int64_t>(kHeads), side.count - head));
  Pairs<kCount, kHalves, T> x[kHeads];
#pragma unroll
  for (int h = 0; h < kHeads; ++h)
    if (h < heads) x[h].load(from + h * side.in.last[1], in_step, apart);
  C cosine[kCount], sine[kCount];
  const int64_t row_head = c.row_heads > 1 ? head / (side.count / c.row_heads) : 0;
  c.angles.find<kCount>(token.quotient, token.rest, row_head, k, cosine, sine);
  if (c.angles.adjusts)
    c.angles.adjust<kCount>(is_query, token.quotient, token.rest, k, cosine, sine);
#pragma unroll
  for (int h = 0; h < kHeads; ++h) {
    if (h >= heads) break;
    x[h].turn_by(cosine, sine);
    x[h].store(to + h * side.out.last[1], out_step, apart);
  }
}

// A block rotates a head whose pairs move within it: it reads the whole head before it writes any
// of it.
template <bool kIn, class T>
__global__ void rotate_moving(const __grid_constant__ RotateCall c) {
  using C = Compute<T>;
  if (blockIdx.x >= c.rotate_blocks) return pass<T>(c);
  const Divided by_head = divided(blockIdx.x, c.q.count + c.k.count);
  const bool is_query = by_head.rest < c.q.count;
  const RotateSide& side = is_query ? c.q : c.k;
  const int64_t head = by_head.rest - (is_query ? 0 : c.q.count), k = threadIdx.x;
  const Divided token = divided(by_head.quotient, c.tokens);
  const bool mine = k < c.pairs;
  Pairs<1, kIn, T> x;
  Pairs<1, !kIn, T> y;
  C cosine = 0, sine = 0;
  const auto begin = [&](const View& v) {
    return v.offset(token.quotient) + token.rest * v.last[0] + (side.first + head) * v.last[1];
  };
  int64_t apart;
  if (mine) {
    const int64_t step = side.in.last[2];
    const T* from = reinterpret_cast<const T*>(side.in.data) + begin(side.in);
    const int64_t feature = feature_of<kIn>(c, k, apart);
    x.load(from + feature * step, step, apart);
    const int64_t row_head = c.row_heads > 1 ? head / (side.count / c.row_heads) : 0;
    c.angles.find<1>(token.quotient, token.rest, row_head, k, &cosine, &sine);
    if (c.angles.adjusts)
      c.angles.adjust<1>(is_query, token.quotient, token.rest, k, &cosine, &sine);
    x.turn_by(&cosine, &sine);
  }
  __syncthreads();
  if (mine) {
    const int64_t step = side.out.last[2];
    T* to = reinterpret_cast<T*>(side.out.data) + begin(side.out);
    const int64_t feature = feature_of<!kIn>(c, k, apart);
    y.a = x.a, y.b = x.b;
    y.store(to + feature * step, step, apart);
  }
}

RotateSide side_of(const RotaryHeads& h, bool scales, bool all_turn) {
  RotateSide out;
  if (h.in.rank == 0) return out;
  out.in = View(h.in, 3), out.out = View(h.out, 3);
  out.first = h.first, out.count = h.count, out.heads = h.in.size(-2), out.scales = scales;
  out.passes = (!all_turn || h.count < out.heads) && (scales || h.in.data != h.out.data);
  return out;
}

bool is_aligned(const RotateSide& s) {
  return s.heads == 0 || (s.in.aligned(3) && s.out.aligned(3));
}

// Launches the blocks that rotate, and those that copy the features and heads that are not rotated.
template <class Kernel>
void launch_rotate(const DeviceStream& stream, RotateCall& c, int64_t blocks, unsigned threads,
                   Kernel kernel) {
  const int64_t heads = (c.q.passes ? c.q.heads : 0) + (c.k.passes ? c.k.heads : 0);
  const int64_t all = blocks + pieces(c.all_tokens * heads * c.dim, threads);
  if (all > INT32_MAX) fail("cuda", "expected work of fewer than 2^31 blocks, got ", all);
  c.rotate_blocks = blocks;
  launch(stream, "rotate", {dim3(static_cast<unsigned>(all)), threads}, kernel, c);
}

template <int kCount, int kHeads, bool kHalves, class T>
void launch_heads(const DeviceStream& stream, RotateCall& c) {
  constexpr unsigned threads = 128;
  c.q.groups = pieces(c.q.count, kHeads), c.k.groups = pieces(c.k.count, kHeads);
  c.units = c.pairs / kCount;
  const int64_t work = c.all_tokens * (c.q.groups + c.k.groups) * c.units;
  launch_rotate(stream, c, pieces(work, threads), threads,
                rotate_heads<kCount, kHeads, kHalves, T>);
}

// A thread takes as many heads as leave enough threads, and computes the angles once for all of
// them.
template <int kCount, bool kHalves, class T>
void launch_packs(const DeviceStream& stream, RotateCall& c) {
  const int64_t threads = c.all_tokens * (c.q.count + c.k.count) * (c.pairs / kCount);
  const int64_t enough = int64_t{stream.processors()} * 1024;
  c.row_heads > 1 || threads < enough ? launch_heads<kCount, 1, kHalves, T>(stream, c)
                                      : launch_heads<kCount, 4, kHalves, T>(stream, c);
}

template <class T>
void rotate_as(const DeviceStream& stream, RotateCall& c, Layout layout, bool back) {
  constexpr int pack = Pack<T>::size;
  const bool halves_in = back ? layout != Layout::interleaved : layout == Layout::half;
  const bool halves_out = back ? layout == Layout::half : layout != Layout::interleaved;
  const bool aligned =
      is_aligned(c.q) && is_aligned(c.k) && c.first % pack == 0 && c.dim % pack == 0;
  if (halves_in != halves_out && c.pairs > 0) {
    const unsigned threads = static_cast<unsigned>(pieces(c.pairs, 32) * 32);
    return launch_rotate(stream, c, c.all_tokens * (c.q.count + c.k.count), threads,
                         halves_in ? rotate_moving<true, T> : rotate_moving<false, T>);
  }
  if (halves_in && aligned && c.block_pairs % pack == 0)
    return launch_packs<pack, true, T>(stream, c);
  if (!halves_in && aligned && c.block_pairs % (pack / 2) == 0)
    return launch_packs<pack / 2, false, T>(stream, c);
  halves_in ? launch_heads<1, 1, true, T>(stream, c) : launch_heads<1, 1, false, T>(stream, c);
}

void rotate_all(const DeviceStream& stream, RotateCall& c, const RotarySpan& span,
                const Tensor& any, int64_t row_heads, int64_t tokens, bool back) {
  c.tokens = tokens, c.all_tokens = tokens * (c.q.heads > 0 ? c.q : c.k).in.rows;
  c.dim = span.dim, c.first = span.first, c.pairs = c.angles.pairs = span.pairs;
  c.block_pairs = span.pairs / span.blocks, c.row_heads = row_heads;
  if (span.pairs == 0) c.q.count = c.k.count = 0;
  dispatch(any.dtype, [&]<class T>() { rotate_as<T>(stream, c, span.layout, back); });
}

}  // namespace

void run(const RotateOrder& order) {
  if (order.any().elements() == 0) return;
  const DeviceStream stream(order.any(), order.stream);
  if (rotate_plainly(stream, order)) return;
  const bool all_turn = order.row() == order.span.dim;
  RotateCall c{};
  c.q = side_of(order.q, order.magnitudes.temperature.has_value(), all_turn);
  c.k = side_of(order.k, false, all_turn);
  c.angles = angles_of(stream, order);
  rotate_all(stream, c, order.span, order.any(), order.row_heads, order.at.tokens, c.angles.back);
}

void run(const MoveOrder& order) {
  const DeviceStream stream(order.k.in, order.stream);
  RotateCall c{};
  c.k = side_of(order.k, false, true);
  DeviceAngles& a = c.angles;
  a.rows = rows_on(stream, order.to), a.rows.kept_rows = 0, a.at = DevicePlaces(order.is);
  a.from = rows_on(stream, order.from).waves, a.was = DevicePlaces(order.was), a.moves = true;
  a.magnitudes = DeviceMagnitudes(order.after), a.before = DeviceMagnitudes(order.before);
  a.adjusts = a.magnitudes.decays || a.before.decays;
  a.mirrored = order.to.waves.amplitude[static_cast<size_t>(order.span.pairs)] < 0;
  a.amplitude64 = order.after.cos_sin_factor / order.before.cos_sin_factor;
  a.amplitude = split_amplitude(a.amplitude64);
  rotate_all(stream, c, order.span, order.k.in, order.row_heads, order.is.tokens, false);
}

}  // namespace posenc::cuda
