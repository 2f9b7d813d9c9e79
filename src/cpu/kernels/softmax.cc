// softmax.cc: one row of scores, for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/softmax.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <limits>

#include "cpu/kernels/softmax.h"
#include "hwy/contrib/math/math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class C>
constexpr C least = -std::numeric_limits<C>::infinity();

// row[i] = change(d, vector i), for n elements; returns join over all results, from `start` on.
// Four results are joined side by side, so that none waits for the one before it.
template <class C, class Change, class Join, class Reduce>
HWY_INLINE C ChangeRow(C* row, int64_t n, C start, const Change& change, const Join& join,
                       const Reduce& reduce) {
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto a0 = hn::Set(d, start), a1 = a0, a2 = a0, a3 = a0;
  auto a = hn::Set(d1, start);
  const auto step = [&](auto dx, auto& sum, int64_t i) HWY_ATTR {
    const auto v = change(dx, hn::LoadU(dx, row + i), i);
    hn::StoreU(v, dx, row + i);
    sum = join(sum, v);
  };
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    step(d, a0, i), step(d, a1, i + lanes);
    step(d, a2, i + 2 * lanes), step(d, a3, i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) step(d, a0, i);
  for (; i < n; ++i) step(d1, a, i);
  const C all = hn::GetLane(reduce(d, join(join(a0, a1), join(a2, a3))));
  return hn::GetLane(join(hn::Set(d1, all), a));
}

template <class C>
HWY_INLINE C ScaledMax(C* row, const C* bias, C scale, int64_t n) {
  const auto max = [](auto a, auto b) HWY_ATTR { return hn::Max(a, b); };
  const auto all = [](auto d, auto v) HWY_ATTR { return hn::MaxOfLanes(d, v); };
  if (!bias)
    return ChangeRow(
        row, n, least<C>,
        [=](auto d, auto x, int64_t) HWY_ATTR { return hn::Mul(x, hn::Set(d, scale)); }, max, all);
  return ChangeRow(
      row, n, least<C>,
      [=](auto d, auto x, int64_t i)
          HWY_ATTR { return hn::MulAdd(x, hn::Set(d, scale), hn::LoadU(d, bias + i)); },
      max, all);
}

template <class C>
HWY_INLINE C ExpSum(C* row, C largest, int64_t n) {
  return ChangeRow(
      row, n, C{0},
      [=](auto d, auto x, int64_t) HWY_ATTR {
        const auto below = hn::Sub(x, hn::Set(d, largest));
        const auto is_nan = hn::IsNaN(below);
        return hn::IfThenElse(is_nan, below, hn::Exp(d, hn::IfThenZeroElse(is_nan, below)));
      },
      [](auto a, auto b) HWY_ATTR { return hn::Add(a, b); },
      [](auto d, auto v) HWY_ATTR { return hn::SumOfLanes(d, v); });
}

// Sums of a part are of the compute type, their sum is f64: long rows lose nothing more.
constexpr int64_t part = 1024;
template <class C>
HWY_INLINE double SoftmaxRow(C* row, const C* bias, C scale, int64_t n) {
  const C largest = ScaledMax(row, bias, scale, n);
  double sum = 0;
  if (largest == least<C>) {
    std::fill_n(row, n, C{0});
  } else {
    for (int64_t i = 0; i < n; i += part) sum += ExpSum(row + i, largest, std::min(part, n - i));
  }
  return sum;
}

double SoftmaxRow32(float* row, const float* bias, double scale, int64_t n) {
  return SoftmaxRow(row, bias, static_cast<float>(scale), n);
}
double SoftmaxRow64(double* row, const double* bias, double scale, int64_t n) {
  return SoftmaxRow(row, bias, scale, n);
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(SoftmaxRow32);
HWY_EXPORT(SoftmaxRow64);

double cpu::softmax_row(float* row, const float* bias, double scale, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxRow32)(row, bias, scale, n);
}
double cpu::softmax_row(double* row, const double* bias, double scale, int64_t n) {
  return HWY_DYNAMIC_DISPATCH(SoftmaxRow64)(row, bias, scale, n);
}

}  // namespace posenc
#endif  // HWY_ONCE
