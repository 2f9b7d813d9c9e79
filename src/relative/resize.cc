// resize.cc: the table of a window made from that of another size.
#include <algorithm>
#include <cmath>

#include "base/batch.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"
#include "orders/taps.h"
#include "relative/offsets.h"

namespace posenc {
namespace {

// Places 1, 1 + q, 1 + q + q^2, ... on both sides of 0, with the ratio q (between 1.01 and 1.5) for
// which the last of `side` places comes to lie at the edge of the new window.
std::vector<double> geometric_places(int64_t side, int64_t new_side) {
  double low = 1.01, high = 1.5, q = low;
  const auto count = static_cast<double>(side - 1), edge = static_cast<double>(new_side - 1);
  while (high - low > 1e-6) {
    q = (low + high) / 2;
    ((1 - std::pow(q, count)) / (1 - q) > edge ? high : low) = q;
  }
  std::vector<double> out(static_cast<size_t>(2 * side - 1));
  const auto centre = static_cast<size_t>(side - 1);
  for (size_t i = 1; i <= centre; ++i) {
    out[centre + i] = out[centre + i - 1] + std::pow(q, static_cast<double>(i - 1));
    out[centre - i] = -out[centre + i];
  }
  return out;
}

// Offsets along a side of the old window, and how much of each.
struct OffsetShare {
  int64_t row;
  double weight;
};
using Parts = std::vector<OffsetShare>;

// Between the two places around x; beyond the ends, the ends themselves.
Parts parts_between(const std::vector<double>& places, double x) {
  const auto above = std::upper_bound(places.begin(), places.end(), x);
  const int64_t right = above - places.begin();
  if (right == 0) return {{0, 1}};
  if (above == places.end()) return {{right - 1, 1}};
  const double part = (x - above[-1]) / (*above - above[-1]);
  return {{right - 1, 1 - part}, {right, part}};
}

Parts parts_of(const Taps& taps) {
  Parts out;
  for (int64_t i = 0; i < taps.count; ++i) out.push_back({taps.row(i), taps.weight(i)});
  return out;
}

// For each offset along a side of the new window.
std::vector<Parts> side_parts(WindowResize how, int64_t side, int64_t new_side) {
  std::vector<Parts> out;
  const auto places = geometric_places(side, new_side);
  const Resize as_image = how == WindowResize::cubic ? Resize::cubic : Resize::linear;
  for (int64_t n = 0; n < 2 * new_side - 1; ++n)
    out.push_back(how == WindowResize::geometric
                      ? parts_between(places, static_cast<double>(n - new_side + 1))
                      : parts_of(taps_of(as_image, n, 2 * side - 1, 2 * new_side - 1)));
  return out;
}

void check_tables(const Tensor& table, const Tensor& out, WindowSize from, WindowSize to) {
  check_window("resize_window", from);
  check_window("resize_window", to);
  const bool fits = table.rank == 2 && out.rank == 2 && is_float(table.dtype) &&
                    table.dtype == out.dtype && table.size(1) == out.size(1) &&
                    table.size(0) >= from.offsets() &&
                    table.size(0) - from.offsets() == out.size(0) - to.offsets();
  if (!fits)
    fail(ErrorKind::tensor, "resize_window", "expected [", from.offsets(), " + extra, heads] and [",
         to.offsets(), " + extra, heads] of one float type, got ", describe(table), " and ",
         describe(out));
  check_host_memory("resize_window", "table", table);
  check_host_memory("resize_window", "out", out);
  check_output("resize_window", out);
  check_apart("resize_window", "out", out, "table", table);
}

}  // namespace

void resize_window(const Tensor& table, const Tensor& out, WindowSize from, WindowSize to,
                   WindowResize how) {
  check_choices("resize_window", how, "the way");
  check_tables(table, out, from, to);
  const auto down = side_parts(how, from.height, to.height),
             across = side_parts(how, from.width, to.width);
  const Batch source(table, 2), target(out, 2);
  const int64_t columns = 2 * to.width - 1, source_columns = 2 * from.width - 1;
  dispatch(out.dtype, [&]<class T>() {
    for (int64_t r = 0; r < out.size(0); ++r)
      for (int64_t h = 0; h < out.size(1); ++h) {
        const auto at = [&](int64_t row) {
          return as_double(*static_cast<const T*>(source.at(0, row, h)));
        };
        double sum = 0;
        if (from == to || r >= to.offsets()) {
          sum = at(r - to.offsets() + from.offsets());
        } else {
          for (const OffsetShare& y : down[static_cast<size_t>(r / columns)])
            for (const OffsetShare& x : across[static_cast<size_t>(r % columns)])
              sum += y.weight * x.weight * at(y.row * source_columns + x.row);
        }
        *static_cast<T*>(target.at(0, r, h)) = rounded_to<T>(static_cast<Compute<T>>(sum));
      }
  });
}

}  // namespace posenc
