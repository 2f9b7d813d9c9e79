// rows.h: rows of a table as kernels make or read them, a few columns of one token at a time.
#pragma once

#include <numbers>

#include "cuda/element_types.h"
#include "cuda/links.h"
#include "cuda/lookups.h"
#include "cuda/turns.h"
#include "cuda/views.h"
#include "orders/row_source.h"

namespace posenc::cuda {

// frequencies/waves.h on a device.
struct DeviceWaves {
  int64_t padded = 0;
  int axes = 1;
  int64_t shift_whole = 0;
  uint64_t shift_part = 0;
  double shift = 0;
  bool f32_product = false, has_lines = false, steady = false;
  double raise = 0;
  int mate = 0;  // 1: each odd column is the one before a quarter of a turn ahead; -1: behind
  uint64_t radian_hi = 0, radian_lo = 0;  // a radian, in turns
  const uint64_t *hi = nullptr, *lo = nullptr, *turns = nullptr, *phase = nullptr;
  const double *amplitude = nullptr, *slope = nullptr, *intercept = nullptr;
  const double* cos_step = nullptr;  // of a step of one position; where the waves are steady
  const Amplitude* amplitude32 = nullptr;
  const float* radians32 = nullptr;
  const uint8_t* is_line = nullptr;

  __device__ Frequency frequency(int64_t at) const {
    return {static_cast<int64_t>(turns[at]), hi[at], lo[at]};
  }
  // Where a token stands on an axis, the shift included; false where that is no place.
  __device__ bool locate(const DevicePlaces& at, int64_t axis, int64_t row, int64_t token,
                         Coordinate& out) const {
    if (at.whole()) {
      out = {{at.integer(axis, row, token)}, 0};
      out.value = static_cast<double>(out.whole);
    } else if (!split(at.value(axis, row, token), out)) {
      return false;
    }
    out.part += shift_part;
    out.whole += shift_whole + (out.part < shift_part ? 1 : 0);
    out.value += shift;
    return true;
  }
};

// The angle where position x frequency is rounded to f32, as PyTorch code has it.
__device__ __noinline__ inline Turn turn_of_f32_product(const DeviceWaves& w, double position,
                                                        float radians) {
  Coordinate angle;
  split(__fmul_rn(static_cast<float>(position), radians), angle);
  return phase(Frequency{0, w.radian_hi, w.radian_lo}, angle);
}

// The angles of kCount columns from `column` on; false where the place is none.
template <int kCount>
__device__ inline bool find_turns(const DeviceWaves& w, const DevicePlaces& at, int64_t row,
                                  int64_t token, int64_t column, Turn* out) {
#pragma unroll
  for (int i = 0; i < kCount; ++i) out[i] = w.phase[column + i];
  for (int a = 0; a < w.axes; ++a) {
    Coordinate here;
    if (!w.locate(at, a, row, token, here)) return false;
    const int64_t from = a * w.padded + column;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (w.f32_product) {
        out[i] += turn_of_f32_product(w, here.value, w.radians32[from + i]);
      } else {
        out[i] += phase(w.frequency(from + i), here);
      }
    }
  }
  return true;
}

// A column that is a straight line.
__device__ __noinline__ inline double line_at(const DeviceWaves& w, const DevicePlaces& at,
                                              int64_t row, int64_t token, int64_t column) {
  double sum = w.intercept[column];
  for (int a = 0; a < w.axes; ++a) {
    Coordinate here;
    const double slope = w.slope[a * w.padded + column];
    if (slope != 0 && w.locate(at, a, row, token, here)) sum = fma(slope, here.value, sum);
  }
  return sum;
}

// kCount columns from `column` on; NaN where the place is none.
template <int kCount, class C>
__device__ inline void make_row(const DeviceWaves& w, const DevicePlaces& at, int64_t row,
                                int64_t token, int64_t column, C* out) {
  Turn turn[kCount];
  const bool exists = find_turns<kCount>(w, at, row, token, column, turn);
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if constexpr (sizeof(C) == 8) {
      out[i] = sine_cosine(turn[i], w.amplitude[column + i]).x;
    } else if (i % 2 == 0 || w.mate == 0) {
      const float2 both = sine_cosine(turn[i], w.amplitude32[column + i]);
      out[i] = both.x;
      if (i + 1 < kCount && w.mate != 0) out[i + 1] = w.mate > 0 ? both.y : -both.y;
    }
  }
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (w.raise != 0)
      out[i] = static_cast<C>(sine_cosine(turn[i], w.amplitude[column + i]).x + w.raise);
    if (w.has_lines && w.is_line[column + i])
      out[i] = static_cast<C>(line_at(w, at, row, token, column + i));
    if (!exists) out[i] = not_a_number<C>();
  }
}

// Waves over whole places on one axis, of one amplitude and two phases: one for columns before
// `second` and one from there on; of even columns, where odd ones are their mates.
struct PlainWaves {
  bool are = false;
  Turn phases[2] = {};
  int64_t second = 0;
  Amplitude amplitude{};
};

// orders/row_source.h on a device.
struct DeviceRows {
  DeviceWaves waves;
  PlainWaves plain;
  bool is_table = false;
  const void *table = nullptr, *more = nullptr;
  DType dtype = DType::f32;
  int64_t table_rows = 0, columns = 0, offset = 0;  // columns: those before `more`
  int64_t row_step = 0, column_step = 0, more_row_step = 0, more_column_step = 0;
  double factor = 1;
  const DeviceLookup* lookups = nullptr;
  int lookup_count = 0;
  const float* kept = nullptr;
  int64_t kept_rows = 0, dim = 0, end = INT64_MAX;
  bool has_zero_row = false;
  double zero_row = 0;  // the position of a row of zeros

  // kCount columns of the row of a token, where it is among those that are kept, in f32.
  template <int kCount, class C>
  __device__ bool read_kept(const DevicePlaces& at, int64_t row, int64_t token, int64_t column,
                            C* out) const {
    if constexpr (sizeof(C) == 4) {
      if (kept_rows == 0 || !at.whole()) return false;
      const int64_t which = at.integer(0, row, token);
      if (which < 0 || which >= kept_rows) return false;
      for (int a = 1; a < waves.axes; ++a)
        if (at.integer(a, row, token) != which) return false;
      read_floats<kCount>(kept + which * dim + column, out);
      return true;
    }
    return false;
  }
  template <class C>
  __device__ __noinline__ C table_value(int64_t which, int64_t column) const {
    const double value =
        column < columns
            ? read_as<double>(dtype, table, which * row_step + column * column_step)
            : read_as<double>(dtype, more,
                              which * more_row_step + (column - columns) * more_column_step);
    return sizeof(C) == 8 ? static_cast<C>(factor * value)
                          : static_cast<C>(static_cast<float>(factor) * static_cast<float>(value));
  }
};

// kCount columns of the row that a token reads, from `column` on; `column` and `dim` are even where
// kCount is.
template <int kCount, class C>
__device__ inline void read_row(const DeviceRows& r, const DevicePlaces& at, int64_t row,
                                int64_t token, int64_t column, C* out) {
  if (r.is_table) {
    const int64_t which = at.integer(0, row, token) + r.offset;
    const bool exists = which >= 0 && which < r.table_rows;
#pragma unroll
    for (int i = 0; i < kCount; ++i)
      out[i] = exists ? r.table_value<C>(which, column + i) : not_a_number<C>();
    return;
  }
  if (r.lookup_count > 0)
    return sum_lookups<kCount>(r.lookups, r.lookup_count, at, row, token, column, out);
  if (r.read_kept<kCount>(at, row, token, column, out)) return;
  make_row<kCount>(r.waves, at, row, token, column, out);
  const bool past = r.end != INT64_MAX && at.value(0, row, token) >= static_cast<double>(r.end);
  const bool zero = r.has_zero_row && at.value(0, row, token) == r.zero_row;
#pragma unroll
  for (int i = 0; i < kCount; ++i) {
    if (zero) out[i] = 0;
    if (past) out[i] = not_a_number<C>();
  }
}

// An amplitude as two floats, and 2 pi times it.
__host__ __device__ inline Amplitude split_amplitude(double a) {
  const double turn = 2 * std::numbers::pi * a;
  const auto one = static_cast<float>(a), two = static_cast<float>(turn);
  return {one, static_cast<float>(a - static_cast<double>(one)), two,
          static_cast<float>(turn - static_cast<double>(two))};
}

// Writes the numbers of weights into waves that lie in memory of a call.
struct FollowingWaves {
  DeviceWaves waves, slopes, units;
};
void follow_weights(const DeviceStream& stream, const DeviceLinks& links,
                    std::span<const Tensor> weights, const FollowingWaves& to);

// What a device needs of a source; copied there at the first call, unless it is a table.
DeviceRows rows_on(const DeviceStream& stream, const RowSource& rows);
// The same for the derivatives of its columns.
struct DeviceDerivatives {
  DeviceWaves slopes, units;
  DeviceLinks links;
};
DeviceDerivatives derivatives_on(const DeviceStream& stream, const RowSource& rows);

}  // namespace posenc::cuda
