// plain_points.h: biases of tokens that stand on several axes, as plain as their definitions.
#pragma once

#include <cmath>

#include "posenc/relative.h"
#include "tests/support/weights.h"

namespace posenc::plain {

using Point = std::vector<double>;

inline double entry(const Weights& w, size_t which, int64_t row, int64_t column) {
  const Tensor t = w.arrays[which].view();
  return get(t, row * t.size(1) + column);
}

inline double bias(const LayoutBias& s, const Weights& w, int64_t head, const Point& q,
                   const Point& k) {
  const T5Bias text{s.heads, s.buckets, s.max_distance};
  const T5Bias box{s.heads, s.box_buckets, s.box_max_distance};
  const size_t first = s.buckets > 0 ? 1 : 0;  // the table of x
  double sum = first == 0 ? 0 : entry(w, 0, text.bucket(std::lround(k[0] - q[0])), head);
  for (size_t axis : {1, 2}) {
    const auto from = static_cast<float>(q[axis]), to = static_cast<float>(k[axis]);
    const float scaled = (to - from) * static_cast<float>(s.box_scale);
    const auto row = box.bucket(static_cast<int64_t>(std::trunc(scaled)));
    sum += entry(w, first + axis - 1, row, head);
  }
  return s.scale * sum;
}

inline double bias(const SegmentBuckets& s, const Weights& w, int64_t head, const Point& q,
                   const Point& k) {
  const auto from = static_cast<int64_t>(q[1]), to = static_cast<int64_t>(k[1]);
  const T5Bias inside{s.heads, s.buckets, s.max_distance};
  if (from == to) return entry(w, 0, inside.bucket(std::lround(k[0] - q[0])), head);
  return entry(w, 0, s.buckets + from * s.segments + to, head);
}

inline double bias(const BoxRelation& s, const Weights& w, int64_t head, const Point& q,
                   const Point& k) {
  const auto size = [&](double x) { return std::max(x, 0.0) + s.eps; };
  const double z[] = {std::log(std::abs(q[0] - k[0]) / size(q[2]) + 1),
                      std::log(std::abs(q[1] - k[1]) / size(q[3]) + 1),
                      std::log(size(q[2]) / size(k[2])), std::log(size(q[3]) / size(k[3]))};
  double sum = get(w.arrays[1].view(), head);
  const int64_t half = s.dim / 2;
  for (int64_t n = 0; n < 4 * s.dim; ++n) {
    const auto wave = static_cast<double>(n % half);
    const double frequency = std::pow(s.base, -2 * wave / static_cast<double>(half));
    const double angle = s.scale * z[n / s.dim] * frequency;
    sum += entry(w, 0, head, n) * (n % s.dim < half ? std::sin(angle) : std::cos(angle));
  }
  return sum;
}

}  // namespace posenc::plain
