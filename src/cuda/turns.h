// turns.h: places as phases need them, and sines and cosines of phases.
//
// The angle of a position and a frequency is a 64-bit fraction of a turn (see frequencies/phase.h),
// so that it wraps exactly and needs no f64 unit.
#pragma once

#include <cuda_runtime.h>

#include "frequencies/phase.h"

namespace posenc::cuda {

// A coordinate, also as a double.
struct Coordinate : WholeAndPart {
  double value = 0;
};

// A real position; none where it is not finite or beyond 2^62.
__device__ inline bool split(double position, Coordinate& out) {
  if (!(fabs(position) <= 0x1p62)) return false;
  out = {posenc::split(position), position};
  return true;
}

// An amplitude and 2 pi times it, each as the sum of two floats.
struct Amplitude {
  float one, one_low, turn, turn_low;
};

// Amplitude times sine (x) and cosine (y) of 2 pi t / 2^64. The nearest quarter turns are taken off
// exactly; what is left, a signed fraction of a turn in 32 bits (1.5e-9 rad), is hi + lo, each
// exact in f32. Minimax polynomials on an eighth of a turn; lo acts through the derivative. With
// amplitude 1, 4.8e-8 at most.
__device__ inline float2 sine_cosine(Turn t, const Amplitude& m) {
  const uint32_t top = static_cast<uint32_t>(t >> 32) + 0x20000000u;
  const uint32_t quadrant = top >> 30;
  const auto rest = static_cast<int32_t>(top & 0x3fffffffu) - 0x20000000;
  const float hi = static_cast<float>(rest & ~63) * 0x1p-32f;
  const float lo = (__uint_as_float(0x4b000000u | static_cast<uint32_t>(rest & 63)) - 8388608.0f) *
                   (0x1p-32f * 6.2831855f);  // in radians
  const float z = hi * hi, z_low = fmaf(hi, hi, -z), w = hi * z;
  float s = fmaf(z, 41.589542f, -76.701286f);
  s = fmaf(z, s, 81.60523f);
  s = fmaf(z, s, -41.341702f);
  float k = fmaf(z, 59.62852f, -85.45321f);
  k = fmaf(z, k, 64.93939f);
  const float rough = fmaf(hi, 6.2831855f, w * s);
  const float below_one =  // cosine - 1
      fmaf(z, -19.739208f,
           fmaf(z * z, k, fmaf(z_low, -19.739208f, fmaf(z, -5.8074318e-7f, -lo * rough))));
  const float cosine = m.one + fmaf(m.one, below_one, m.one_low);
  const float sine =
      fmaf(hi, m.turn, fmaf(m.one, fmaf(w, s, fmaf(lo, below_one, lo)), hi * m.turn_low));
  const float a = quadrant & 1 ? cosine : sine, b = quadrant & 1 ? sine : cosine;
  return {__uint_as_float(__float_as_uint(a) ^ (quadrant << 30 & 0x80000000u)),
          __uint_as_float(__float_as_uint(b) ^ ((quadrant + 1) << 30 & 0x80000000u))};
}

// The same in f64, within 3e-16.
__device__ inline double2 sine_cosine(Turn t, double amplitude) {
  const uint64_t top = t + (uint64_t{1} << 61);
  const auto quadrant = static_cast<uint32_t>(top >> 62);
  const auto rest = static_cast<int64_t>(top & ((uint64_t{1} << 62) - 1)) - (int64_t{1} << 61);
  double s, c;
  sincospi(static_cast<double>(rest) * 0x1p-63, &s, &c);
  const double a = quadrant & 1 ? c : s, b = quadrant & 1 ? s : c;
  return {quadrant & 2 ? -amplitude * a : amplitude * a,
          (quadrant + 1) & 2 ? -amplitude * b : amplitude * b};
}

}  // namespace posenc::cuda
