// turns.h: exact phases, and their sines and cosines.
//
// The angle of a position and a frequency is a 64-bit fraction of a turn, so that it wraps exactly
// and needs no f64 unit; see frequencies/phase.h, which says the same for the CPU.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>

namespace posenc::cuda {

using Turn = uint64_t;

// A coordinate: whole + part / 2^64 + rest / 2^128, and as a double.
struct Coordinate {
  int64_t whole = 0;
  uint64_t part = 0, rest = 0;
  double value = 0;
};

// A real position; none where it is not finite or beyond 2^62.
__device__ inline bool split(double position, Coordinate& out) {
  const double size = fabs(position), whole = floor(size);
  if (!(size <= 0x1p62)) return false;
  const double part = (size - whole) * 0x1p64, rest = (part - floor(part)) * 0x1p64;
  out = {static_cast<int64_t>(whole), static_cast<uint64_t>(part), static_cast<uint64_t>(rest),
         position};
  if (position < 0) {
    const uint64_t borrow = out.rest != 0, carry = (out.part | out.rest) != 0;
    out.whole = -out.whole - static_cast<int64_t>(carry);
    out.part = 0 - out.part - borrow, out.rest = 0 - out.rest;
  }
  return true;
}

// The angle at a whole position, exact to 2^-64 turns.
__device__ inline Turn turn_at(uint64_t hi, uint64_t lo, int64_t position) {
  const auto p = static_cast<uint64_t>(position);
  return hi * p + __umul64hi(lo, p) - (position < 0 ? lo : 0);
}
// At a real one, exact to 2^-62; turns: the whole ones of the frequency.
__device__ inline Turn turn_at(uint64_t hi, uint64_t lo, uint64_t turns, const Coordinate& p) {
  Turn out = turn_at(hi, lo, p.whole);
  if ((p.part | p.rest) != 0)
    out += p.part * turns + __umul64hi(p.part, hi) + __umul64hi(p.rest, turns) -
           (static_cast<int64_t>(turns) < 0 ? p.rest : 0);
  return out;
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
