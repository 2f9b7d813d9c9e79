// wave_gradient.cu: sums over all tokens for each column of waves, and the links to what is
// learned.
#include "cuda/wave_gradient.h"

#include <algorithm>

#include "base/dispatch.h"

namespace posenc::cuda {
namespace {

constexpr int64_t enough = int64_t{1} << 18;  // threads
constexpr int64_t most_parts = 4096;
constexpr int64_t least_group = 8;  // batch rows of a sum of its own
constexpr size_t most_weights = 4;

struct WaveCall {
  DeviceRows rows;
  DeviceWaves slopes, units;
  DevicePlaces at;
  View dout;
  Cut cut{};
  int64_t chunks = 0;      // of columns
  double* sums = nullptr;  // [columns, axes + 2, parts]
};

// d/dphase and d/damplitude of kCount columns.
template <int kCount, class C>
__device__ void find_derivatives(const WaveCall& c, int64_t row, int64_t token, int64_t column,
                                 double* slope, double* unit) {
  Turn turn[kCount];
  find_turns<kCount>(c.units, c.at, row, token, column, turn);
  decltype(unit_wave(Turn{}, C{})) wave{};
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    if (k % 2 == 1 && c.units.mate != 0) {
      wave = c.units.mate > 0 ? decltype(wave){wave.y, -wave.x} : decltype(wave){-wave.y, wave.x};
    } else {
      wave = unit_wave(turn[k], C{});
    }
    slope[k] = c.slopes.amplitude[column + k] * static_cast<double>(wave.y);
    unit[k] = c.units.amplitude[column + k] * static_cast<double>(wave.x);
    if (c.units.has_lines && c.units.is_line[column + k])
      slope[k] = 1, unit[k] = line_at(c.units, c.at, row, token, column + k);
  }
}

// A thread sums kCount columns of a part.
template <int kCount, class T>
__global__ void sum_waves(const __grid_constant__ WaveCall c) {
  const Divided by = divided(blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x, c.chunks);
  const int64_t part = by.quotient, column = by.rest * kCount;
  if (part >= c.cut.parts()) return;
  const CutPart mine(c.cut, part);
  const int axes = c.units.axes;
  double rate[max_axes][kCount] = {}, offset[kCount] = {}, amplitude[kCount] = {};
  for (int64_t n = mine.first; n < mine.end; ++n) {
    const Divided item = divided(n, c.cut.tokens);
    const int64_t row = item.quotient, token = item.rest;
    if (!stands(c.rows, c.at, row, token)) continue;
    double g[kCount] = {}, slope[kCount], unit[kCount];
#pragma unroll 4
    for (int64_t r = row + mine.first_row; r < row + mine.end_row; ++r) {
      const T* from = c.dout.at<T>(r) + token * c.dout.last[0] + column * c.dout.last[1];
#pragma unroll
      for (int k = 0; k < kCount; ++k) g[k] += static_cast<double>(wide(from[k * c.dout.last[1]]));
    }
    find_derivatives<kCount, Compute<T>>(c, row, token, column, slope, unit);
#pragma unroll
    for (int k = 0; k < kCount; ++k)
      offset[k] = fma(g[k], slope[k], offset[k]), amplitude[k] = fma(g[k], unit[k], amplitude[k]);
#pragma unroll
    for (int a = 0; a < max_axes; ++a) {
      if (a >= axes) break;
      const double value = c.at.value(a, row, token) + c.units.shift;
#pragma unroll
      for (int k = 0; k < kCount; ++k) rate[a][k] = fma(g[k] * slope[k], value, rate[a][k]);
    }
  }
#pragma unroll
  for (int k = 0; k < kCount; ++k) {
    double* to = c.sums + (column + k) * (axes + 2) * c.cut.parts() + part;
#pragma unroll
    for (int a = 0; a < max_axes; ++a)
      if (a < axes) to[a * c.cut.parts()] = rate[a][k];
    to[axes * c.cut.parts()] = offset[k], to[(axes + 1) * c.cut.parts()] = amplitude[k];
  }
}

// ---- links ------------------------------------------------------------------------------------

constexpr unsigned link_threads = 128;

// What a warp works at, and the lane of a thread.
struct InWarp {
  int64_t at = (blockIdx.x * static_cast<int64_t>(link_threads) + threadIdx.x) / 32;
  int64_t lane = threadIdx.x % 32;
};

// A warp adds the parts of a term.
__global__ void add_parts(DeviceLinks links, const double* sums, int64_t parts, double* terms) {
  const InWarp w;
  if (w.at >= links.terms) return;
  const double* from = sums + links.value[w.at] * parts;
  double sum = 0;
#pragma unroll 8
  for (int64_t i = w.lane; i < parts; i += 32) sum += from[i];
  sum = warp_sum(sum);
  if (w.lane == 0) terms[w.at] = links.factor[w.at] * sum;
}

struct LinkSums {
  DeviceSum of[most_weights];
};

// A warp adds the terms of an entry of a weight.
__global__ void add_terms(DeviceLinks links, const double* terms,
                          const __grid_constant__ LinkSums to) {
  const InWarp w;
  if (w.at >= links.targets) return;
  double sum = 0;
#pragma unroll 8
  for (int64_t i = links.first[w.at] + w.lane; i < links.first[w.at + 1]; i += 32) sum += terms[i];
  sum = warp_sum(sum);
  if (w.lane == 0) to.of[links.weight[w.at]].add(links.entry[w.at], sum);
}

}  // namespace

Cut::Cut(const Places& at, int64_t rows, int64_t threads)
    : tokens(at.tokens),
      places(at.shared() ? tokens : tokens * rows),
      batch(at.shared() ? rows : 1) {
  const int64_t wanted = std::clamp<int64_t>(enough / threads, 1, most_parts);
  run = pieces(places, wanted), runs = pieces(places, run);
  group = pieces(batch,
                 std::clamp<int64_t>(wanted / runs, 1, std::max<int64_t>(batch / least_group, 1)));
  groups = pieces(batch, group);
}

void add_linked(const DeviceStream& stream, const DeviceLinks& links, const double* sums,
                int64_t parts, std::span<const Tensor> dweights) {
  if (dweights.size() > most_weights)
    fail("cuda", "expected at most ", most_weights, " weights, got ", dweights.size());
  LinkSums to;
  for (size_t i = 0; i < dweights.size(); ++i) to.of[i] = DeviceSum(dweights[i]);
  const Temporary<double> terms(stream, links.terms);
  launch(stream, "sums of parts", shape_of(32 * links.terms, link_threads), add_parts, links, sums,
         parts, terms.data());
  launch(stream, "gradients of weights", shape_of(32 * links.targets, link_threads), add_terms,
         links, terms.data(), to);
}

void add_wave_gradient(const DeviceStream& stream, const RowGradientOrder& order) {
  if (order.dout.elements() == 0) return;
  const DeviceDerivatives derivatives = derivatives_on(stream, order.rows);
  WaveCall c{rows_on(stream, order.rows), derivatives.slopes, derivatives.units,
             DevicePlaces(order.at), View(order.dout, 2)};
  const bool two = order.rows.dim % 2 == 0;
  c.chunks = two ? order.rows.dim / 2 : order.rows.dim;
  c.cut = Cut(order.at, c.dout.rows, c.chunks);
  const int64_t parts = c.cut.parts();
  const Temporary<double> sums(stream, order.rows.dim * (order.rows.axes + 2) * parts);
  c.sums = sums.data();
  dispatch(order.dout.dtype, [&]<class T>() {
    launch(stream, "sums of columns", shape_of(parts * c.chunks, 128),
           two ? sum_waves<2, T> : sum_waves<1, T>, c);
  });
  add_linked(stream, derivatives.links, sums.data(), parts, order.dweights);
}

}  // namespace posenc::cuda
