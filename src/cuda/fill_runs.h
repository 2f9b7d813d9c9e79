// fill_runs.h: long tables of rows at places one after the other, a run of them from one exact
// phase.
#pragma once

#include "cuda/rows.h"
#include "cuda/vectors.h"

namespace posenc::cuda {

// What add.cu works on: rows alone, or added to x or to rows of an embedding.
struct AddCall {
  DeviceRows rows;
  DevicePlaces at;
  View x, out, ids;
  const char* embedding;
  int64_t embedding_row, embedding_column, vocabulary;
  double scale;
  int64_t tokens, chunks, batch, group;  // batch rows, and how many of them a block takes
  bool has_x, has_ids;
  bool plain;        // rows are as find_plain_row() makes them
  bool whole_packs;  // rows of a table lie in packs
};

// Rows from one exact phase: 16-bit tables, which take half the time to write, want more, and so do
// phases that are exact all along.
template <class T, bool kF64>
constexpr int run_length = sizeof(T) == 2 ? 64
                           : kF64         ? 16
                                          : 32;

// kCount columns of a run of rows at places one after the other, by s(n+1) = 2 cos(w) s(n) - s(n-1)
// in f64 from two exact values, or, for devices whose f64 is slow, each from its own phase in f32.
// kMates: odd columns are the cosines of even ones, but for their sign.
template <class T, bool kF64, bool kMates>
__global__ void fill_run(const __grid_constant__ AddCall c) {
  constexpr int count = Pack<T>::size, step_of_columns = kMates ? 2 : 1;
  constexpr int length = run_length<T, kF64>;
  const int64_t i = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  const Divided item = divided(i, c.chunks);
  const int64_t token = item.quotient * length, column = item.rest * count;
  if (token >= c.tokens) return;
  const DeviceWaves& w = c.rows.waves;
  const int64_t position = c.at.first + token + w.shift_whole;
  const int rows = static_cast<int>(min(static_cast<int64_t>(length), c.tokens - token));
  T* to = reinterpret_cast<T*>(c.out.data) + token * c.out.last[0] + column;
  wait_for_inputs();
  Turn turn[count];
  uint64_t step[count];
#pragma unroll
  for (int k = 0; k < count; k += step_of_columns) {
    const WholeAndPart here{position, w.shift_part};
    turn[k] = w.phase[column + k] + phase(w.frequency(column + k), here);
    step[k] = w.hi[column + k];
  }
  if constexpr (kF64) {
    double now[count], next[count], factor[count];
#pragma unroll
    for (int k = 0; k < count; k += step_of_columns) {
      const double2 a = sine_cosine(turn[k], w.amplitude[column + k]);
      const double2 b = sine_cosine(turn[k] + step[k], w.amplitude[column + k]);
      now[k] = a.x, next[k] = b.x;
      if (kMates) now[k + 1] = w.mate * a.y, next[k + 1] = w.mate * b.y;
    }
#pragma unroll
    for (int k = 0; k < count; ++k) factor[k] = 2 * w.cos_step[column + k];
#pragma unroll 4
    for (int r = 0; r < rows; ++r, to += c.out.last[0]) {
      float row[count];
#pragma unroll
      for (int k = 0; k < count; ++k) {
        row[k] = static_cast<float>(now[k]);
        const double after = fma(factor[k], next[k], -now[k]);
        now[k] = next[k], next[k] = after;
      }
      write<count>(to, 1, row);
    }
  } else {
    Amplitude amplitude[count];
#pragma unroll
    for (int k = 0; k < count; k += step_of_columns) amplitude[k] = w.amplitude32[column + k];
    const auto mate = static_cast<float>(w.mate);
#pragma unroll 4
    for (int r = 0; r < rows; ++r, to += c.out.last[0]) {
      float row[count];
#pragma unroll
      for (int k = 0; k < count; k += step_of_columns) {
        const float2 both = sine_cosine(turn[k], amplitude[k]);
        row[k] = both.x, turn[k] += step[k];
        if (kMates) row[k + 1] = mate * both.y;
      }
      write<count>(to, 1, row);
    }
  }
}

template <class T, bool kF64>
void fill_runs(const DeviceStream& stream, const AddCall& c) {
  launch_early(stream, "fill", shape_of(pieces(c.tokens, run_length<T, kF64>) * c.chunks, 128),
               c.rows.waves.mate != 0 ? fill_run<T, kF64, true> : fill_run<T, kF64, false>, c);
}

template <class T>
bool can_fill_runs(const AddCall& c) {
  return sizeof(T) < 8 && !c.has_x && !c.has_ids && c.at.kind == DevicePlaces::Kind::range &&
         !c.rows.is_table && c.rows.kept_rows == 0 && !c.rows.has_zero_row && c.rows.waves.steady &&
         c.rows.waves.axes == 1 && c.batch == 1 && c.tokens >= 4 * run_length<T, true>;
}

}  // namespace posenc::cuda
