// waves.h: the columns of a computed table as arrays, which every device reads.
#pragma once

#include <vector>

#include "posenc/wave.h"

namespace posenc {

inline constexpr int64_t block_rows = 64;      // rows between two rotations
inline constexpr int64_t column_padding = 64;  // columns arrays are padded to

// [axes, padded] or [padded], with what the recurrence of kernels/runs.cc needs beside them.
struct Waves {
  int64_t dim = 0, axes = 1, padded = 0;
  int64_t shift_whole = 0;  // added to every position, with shift_part / 2^64
  uint64_t shift_part = 0;
  bool f32_product = false;  // round position x frequency to f32
  bool steady = true;        // no lines, exact products, no raise: the recurrence applies
  double raise = 0;          // added to every column
  void set_raise(double by) { raise = by, steady = steady && by == 0; }
  std::vector<uint64_t> hi, lo, turns;
  std::vector<Turn> phase;
  std::vector<double> amplitude;
  std::vector<float> radians32;  // [axes, padded], for f32_product
  std::vector<double> cos_step, sin_step, cos_block, sin_block;
  std::vector<int64_t> lines;  // columns that are straight lines
  std::vector<Wave> columns;   // as the scheme gave them

  // The sizes, phases and amplitudes alone.
  Waves outline() const {
    Waves out;
    out.dim = dim, out.axes = axes, out.padded = padded;
    out.shift_whole = shift_whole, out.shift_part = shift_part;
    out.f32_product = f32_product, out.steady = steady, out.raise = raise;
    out.phase = phase, out.amplitude = amplitude;
    return out;
  }
};

Waves make_waves(std::vector<Wave> columns, int64_t axes, double shift, bool f32_product);

}  // namespace posenc
