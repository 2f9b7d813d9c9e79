// angles.h: the cosines and sines by which a rotary kernel turns pairs, computed or read.
#pragma once

#include "cuda/rows.h"
#include "orders/orders.h"

namespace posenc::cuda {

// orders/magnitudes.h on a device.
struct DeviceMagnitudes {
  double turning = 0, center = 0, scale_base = 1;
  double scale = 0, floor = 1, offset = 0;
  bool decays = false, has_temperature = false;

  DeviceMagnitudes() = default;
  explicit DeviceMagnitudes(const Magnitudes& m) : turning(m.turning) {
    if (m.decay) decays = true, center = m.decay->center, scale_base = m.decay->scale_base;
    if (m.temperature)
      has_temperature = true, scale = m.temperature->scale, floor = m.temperature->floor,
      offset = m.temperature->offset;
  }
  __host__ __device__ bool any() const { return decays || has_temperature; }
  __device__ double query(double position) const {
    return has_temperature ? 1 + scale * log1p(::floor((position + offset) / floor)) : 1;
  }
  __device__ double pair(bool is_query, double position, int64_t k) const {
    double factor = 1;
    if (decays && position != center)
      factor = exp((position - center) / scale_base *
                   log((2 * static_cast<double>(k) + 0.4 * turning) / (1.4 * turning)));
    return is_query ? query(position) * factor : 1 / factor;
  }
};

// Where the angles of a call come from: rows of a plan or table, or the difference of two plans.
struct DeviceAngles {
  DeviceRows rows;
  DevicePlaces at;
  int64_t pairs = 0;
  bool mirrored = false;  // the rows' sines have the other sign
  DeviceMagnitudes magnitudes;
  bool adjusts = false;  // rows are not used as they are
  bool back = false, inverse = false;
  double squared = 1;   // what an inverse divides by: the factor that the rows have, twice
  bool uneven = false;  // it differs from pair to pair, so that the rows tell it

  bool moves = false;  // from where and how keys stand
  DeviceWaves from;
  DevicePlaces was;
  DeviceMagnitudes before;
  Amplitude amplitude{};
  double amplitude64 = 1;

  // The cosines and sines of kCount pairs from k on for a token; head: of rows with one for each
  // head, otherwise 0.
  template <int kCount, class C>
  __device__ void find(int64_t row, int64_t token, int64_t head, int64_t k, C* cosine,
                       C* sine) const {
    const int64_t column = head * 2 * pairs + k;
    if (rows.is_table) {
      read_row<kCount>(rows, at, row, token, column, cosine);
      read_row<kCount>(rows, at, row, token, column + pairs, sine);
    } else if (moves || !rows.read_kept<kCount>(at, row, token, column, cosine) ||
               !rows.read_kept<kCount>(at, row, token, column + pairs, sine)) {
      make<kCount>(row, token, column, cosine, sine);
    }
    if (back && !adjusts) {
#pragma unroll
      for (int i = 0; i < kCount; ++i) sine[i] = -sine[i];
    }
  }

  // What is added to positions before rows are found.
  __device__ double shift() const {
    return rows.is_table ? static_cast<double>(rows.offset) : rows.waves.shift;
  }
  // Multiplies rows by the magnitudes of q or k, and changes the sign of sines for the way back.
  template <int kCount, class C>
  __device__ void adjust(bool is_query, int64_t row, int64_t token, int64_t k, C* cosine,
                         C* sine) const {
    const double place = at.value(0, row, token) + shift();
    double factor = 1;
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if (i == 0 || magnitudes.decays || (moves && before.decays)) {
        factor = magnitudes.pair(is_query, place, k + i);
        if (moves) factor /= before.pair(is_query, was.value(0, row, token) + from.shift, k + i);
        if (inverse) factor = 1 / (factor * squared);
      }
      double own = factor;
      if (inverse && uneven) {
        const double c = cosine[i], s = sine[i];
        own = factor / (c * c + s * s);
      }
      cosine[i] *= static_cast<C>(own);
      sine[i] *= static_cast<C>(back ? -own : own);
    }
  }
  // The factor on features of q that are not rotated.
  __device__ double passing(int64_t row, int64_t token) const {
    const double factor = magnitudes.query(at.value(0, row, token) + shift());
    return inverse ? 1 / factor : factor;
  }

 private:
  // The columns of sines say by how much; a cosine is a quarter of a turn ahead of its sine.
  template <int kCount, class C>
  __device__ void make(int64_t row, int64_t token, int64_t column, C* cosine, C* sine) const {
    Turn turn[kCount];
    bool exists = find_turns<kCount>(rows.waves, at, row, token, column + pairs, turn);
    if (moves) {
      Turn before_turn[kCount];
      exists = find_turns<kCount>(from, was, row, token, column + pairs, before_turn) && exists;
#pragma unroll
      for (int i = 0; i < kCount; ++i) turn[i] -= before_turn[i];
    }
    if (rows.end != INT64_MAX)
      for (int a = 0; a < rows.waves.axes; ++a)
        exists = exists && at.value(a, row, token) < static_cast<double>(rows.end);
#pragma unroll
    for (int i = 0; i < kCount; ++i) {
      if constexpr (sizeof(C) == 8) {
        const double2 both =
            sine_cosine(turn[i], moves ? amplitude64 : rows.waves.amplitude[column + i]);
        sine[i] = mirrored ? -both.x : both.x, cosine[i] = both.y;
      } else {
        const float2 both =
            sine_cosine(turn[i], moves ? amplitude : rows.waves.amplitude32[column + i]);
        sine[i] = mirrored ? -both.x : both.x, cosine[i] = both.y;
      }
      if (!exists) cosine[i] = sine[i] = not_a_number<C>();
    }
  }
};

// Those of an order.
inline DeviceAngles angles_of(const DeviceStream& stream, const RotateOrder& order) {
  const Magnitudes& m = order.magnitudes;
  DeviceAngles a;
  a.rows = rows_on(stream, order.rows), a.at = DevicePlaces(order.at), a.pairs = order.span.pairs;
  a.magnitudes = DeviceMagnitudes(m), a.uneven = m.uneven;
  a.squared = m.uneven ? 1 : m.cos_sin_factor * m.cos_sin_factor;  // else rows tell it
  a.back = order.way != Way::forward, a.inverse = order.way == Way::inverse;
  a.adjusts = a.inverse || a.magnitudes.any();
  if (!order.rows.table && order.span.pairs > 0)
    a.mirrored = order.rows.waves.amplitude[static_cast<size_t>(order.span.pairs)] < 0;
  return a;
}

}  // namespace posenc::cuda
