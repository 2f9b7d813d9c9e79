// wave_gradient.h: the gradient of what waves are made of.
#pragma once

#include "cuda/rows.h"
#include "cuda/sums.h"
#include "orders/orders.h"

namespace posenc::cuda {

// How a sum over tokens is cut into parts: runs of places, each over a group of the batch rows that
// share them. It depends on the shape alone.
struct Cut {
  int64_t tokens = 0, places = 0, batch = 1;  // batch rows that stand at each place
  int64_t run = 1, runs = 1, group = 1, groups = 1;

  Cut() = default;
  // threads: of each part.
  Cut(const Places& at, int64_t rows, int64_t threads);
  __host__ __device__ int64_t parts() const { return runs * groups; }
};

// The places and batch rows of a part.
struct CutPart {
  int64_t first, end, first_row, end_row;

  __device__ CutPart(const Cut& c, int64_t part) {
    const Divided at = divided(part, c.runs);
    first = at.rest * c.run, end = min(first + c.run, c.places);
    first_row = at.quotient * c.group, end_row = min(first_row + c.group, c.batch);
  }
};

// Whether a token stands somewhere, and not where a row of zeros is read.
__device__ inline bool stands(const DeviceRows& r, const DevicePlaces& at, int64_t row,
                              int64_t token) {
  for (int a = 0; a < r.waves.axes; ++a) {
    const double value = at.value(a, row, token);
    if (!(fabs(value) <= 0x1p62) || (r.end != INT64_MAX && value >= static_cast<double>(r.end)))
      return false;
  }
  return !(r.has_zero_row && at.value(0, row, token) == r.zero_row);
}

// Sine (x) and cosine (y) of an angle, in the type that sums are done in.
__device__ inline double2 unit_wave(Turn t, double) { return sine_cosine(t, 1.0); }
__device__ inline float2 unit_wave(Turn t, float) {
  return sine_cosine(t, Amplitude{1, 0, 6.2831855f, -1.7484555e-7f});
}

// dweights += what the links say about sums [values, parts].
void add_linked(const DeviceStream& stream, const DeviceLinks& links, const double* sums,
                int64_t parts, std::span<const Tensor> dweights);

void add_wave_gradient(const DeviceStream& stream, const RowGradientOrder& order);

}  // namespace posenc::cuda
