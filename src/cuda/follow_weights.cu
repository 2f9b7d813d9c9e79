// follow_weights.cu: waves whose numbers are weights that stay on the device.
//
// A frequency is a weight times the link's factor, as a fraction of a turn in 128 bits. The factor
// of a weight in radians, 1 / 2 pi or twice that, is taken as the sum of two doubles, so that the
// product is within 2^-100 of itself.
#include "cuda/rows.h"

namespace posenc::cuda {
namespace {

constexpr size_t most_weights = 4;
constexpr unsigned threads = 128;

struct WeightViews {
  View of[most_weights];
  __device__ double read(int64_t weight, int64_t entry) const {
    const View& w = of[weight];
    return read_as<double>(w.dtype, w.data, w.offset(entry));
  }
};

// What a factor in f64 leaves out.
__device__ inline double low_part(double factor) {
  constexpr double low = -0x1.6b01ec5417056p-57;  // of 1 / 2 pi, which begins with
  constexpr double high = 0x1.45f306dc9c883p-3;
  return factor == high ? low : factor == 2 * high ? 2 * low : 0;
}

__device__ inline Frequency turns_of(double number, double factor) {
  const double high = number * factor;
  const double low = fma(number, factor, -high) + number * low_part(factor);
  if (!(fabs(high) <= 0x1p62)) return {0, 0, 0};
  const WholeAndPart a = posenc::split(high), b = posenc::split(low);
  const uint64_t rest = a.rest + b.rest, carry = rest < a.rest ? 1 : 0;
  const uint64_t part = a.part + b.part, sum = part + carry;
  const int64_t more = (part < a.part ? 1 : 0) + (sum < part ? 1 : 0);
  return {a.whole + b.whole + more, sum, rest};
}

// Entry n of an array that lies in memory of the call.
template <class T>
__device__ inline T& at(const T* array, int64_t n) {
  return const_cast<T*>(array)[n];
}

// Slot `slot` of a column: a rate on an axis, then the offset, then the amplitude, of one of the
// waves; scale: on the amplitude, 0 where it stays.
__device__ void write(const DeviceWaves& w, int64_t column, int64_t slot, double number,
                      double factor, double scale) {
  const bool line = w.is_line[column] != 0;
  if (slot < w.axes) {
    const int64_t to = slot * w.padded + column;
    if (line) {
      at(w.slope, to) = number * factor;
      return;
    }
    if (w.f32_product) number = static_cast<double>(static_cast<float>(number));
    const Frequency f = turns_of(number, factor);
    at(w.turns, to) = static_cast<uint64_t>(f.turns), at(w.hi, to) = f.hi, at(w.lo, to) = f.lo;
    at(w.radians32, to) = static_cast<float>(number * factor * (2 * std::numbers::pi));
  } else if (slot == w.axes) {
    if (line) {
      at(w.intercept, column) = number * factor;
    } else {
      at(w.phase, column) += turns_of(number, factor).hi;
    }
  } else if (scale != 0) {
    const double amplitude = number * factor * scale;
    at(w.amplitude, column) = amplitude, at(w.amplitude32, column) = split_amplitude(amplitude);
  }
}

// A thread has an entry of a weight.
__global__ void write_entries(DeviceLinks links, const __grid_constant__ WeightViews weights,
                              const __grid_constant__ FollowingWaves to) {
  const int64_t n = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x;
  if (n >= links.targets) return;
  const double number = weights.read(links.weight[n], links.entry[n]);
  for (int64_t i = links.first[n]; i < links.first[n + 1]; ++i) {
    const Divided by = divided(links.value[i], to.waves.axes + 2);
    write(to.waves, by.quotient, by.rest, number, links.factor[i], 1);
    write(to.slopes, by.quotient, by.rest, number, links.factor[i], 2 * std::numbers::pi);
    write(to.units, by.quotient, by.rest, number, links.factor[i], 0);
  }
}

}  // namespace

void follow_weights(const DeviceStream& stream, const DeviceLinks& links,
                    std::span<const Tensor> weights, const FollowingWaves& to) {
  if (weights.size() > most_weights)
    fail("cuda", "expected at most ", most_weights, " weights, got ", weights.size());
  WeightViews views;
  for (size_t i = 0; i < weights.size(); ++i) views.of[i] = View(weights[i], 0);
  launch(stream, "numbers of waves", shape_of(links.targets, threads), write_entries, links, views,
         to);
}

}  // namespace posenc::cuda
