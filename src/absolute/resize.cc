// resize.cc: a learned table of one length made from one of another.
#include <algorithm>
#include <cmath>

#include "absolute/taps.h"
#include "base/batch.h"
#include "base/check.h"
#include "base/dispatch.h"
#include "base/half.h"

namespace posenc {
namespace {

double keys_kernel(double x) {  // Keys 1981, a = -0.75
  constexpr double a = -0.75;
  x = std::abs(x);
  if (x <= 1) return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

}  // namespace

Taps taps_of(Resize how, int64_t t, int64_t from, int64_t to) {
  Taps taps;
  const auto clamp = [&](int64_t r) { return std::clamp<int64_t>(r, 0, from - 1); };
  const double centre =
      (static_cast<double>(t) + 0.5) * static_cast<double>(from) / static_cast<double>(to) - 0.5;
  if (how == Resize::copy) {
    if (t < from) taps.add(t, 1);
  } else if (how == Resize::repeat) {
    taps.add(t % from, 1);
  } else if (how == Resize::linear) {
    const double s = std::max(centre, 0.0);  // torch clamps before it interpolates
    const auto low = static_cast<int64_t>(std::floor(s));
    taps.add(clamp(low), 1 - (s - static_cast<double>(low)));
    taps.add(clamp(low + 1), s - static_cast<double>(low));
  } else {
    const auto low = static_cast<int64_t>(std::floor(centre));
    for (int64_t k = -1; k <= 2; ++k)
      taps.add(clamp(low + k), keys_kernel(centre - static_cast<double>(low + k)));
  }
  return taps;
}

void resize(const Tensor& table, const Tensor& out, Resize how, int64_t keep, Stream) {
  if (table.rank != 2 || out.rank != 2 || table.dtype != out.dtype ||
      table.size(1) != out.size(1) || table.size(0) == 0)
    fail(ErrorKind::tensor, "resize",
         "expected [rows, dim] and [other rows, dim] of one type, got ", describe(table), " and ",
         describe(out));
  check_rows("resize", "table", table, table.size(1));
  check_rows("resize", "out", out, table.size(1));
  check_output("resize", out);
  const int64_t most = std::min(table.size(0) - 1, out.size(0));
  if (keep < 0 || keep > most) fail("resize", "expected keep from 0 to ", most, ", got ", keep);
  const int64_t from = table.size(0) - keep, to = out.size(0) - keep;
  check_apart("resize", "out", out, "table", table);
  check_choices("resize", how, "the way");
  const Batch source(table, 2), target(out, 2);
  dispatch(out.dtype, [&]<class T>() {
    for (int64_t r = 0; r < out.size(0); ++r) {
      Taps taps;
      if (r < keep) {
        taps.add(r - keep, 1);
      } else {
        taps = taps_of(how, r - keep, from, to);
      }
      for (int64_t c = 0; c < out.size(1); ++c) {
        double sum = 0;
        for (int i = 0; i < taps.count; ++i)
          sum += taps.weight[i] *
                 as_double(*static_cast<const T*>(source.at(0, keep + taps.row[i], c)));
        *static_cast<T*>(target.at(0, r, c)) = rounded_to<T>(static_cast<Compute<T>>(sum));
      }
    }
  });
}

}  // namespace posenc
