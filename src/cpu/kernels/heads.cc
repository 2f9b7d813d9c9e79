// heads.cc: heads to their compute type and back, for every dtype and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/heads.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

#include "cpu/kernels/heads.h"
#include "cpu/kernels/two-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// out[i] = value(d, i) for n elements: two vectors at a time, read before any is written; then a
// lane at a time.
template <class C, class T, class Value>
HWY_INLINE void StoreEach(T* out, int64_t n, const Value& value) {
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  using Move = Mover<decltype(d), T>;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const Two<decltype(d)> u{value(d, i), value(d, i + lanes)};
    const Two<decltype(d)> v{value(d, i + 2 * lanes), value(d, i + 3 * lanes)};
    Move::Store(Move::Packed(u), out + i), Move::Store(Move::Packed(v), out + i + 2 * lanes);
  }
  for (; i + lanes <= n; i += lanes) StoreLanes(value(d, i), d, out + i);
  for (; i < n; ++i) StoreLanes(value(d1, i), d1, out + i);
}

// The sum of squares, of four sums that run side by side.
template <class T>
HWY_INLINE Compute<T> Squares(const T* x, int64_t n) {
  using C = Compute<T>;
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  auto s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0;
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    const auto v0 = LoadLanes(d, x + i), v1 = LoadLanes(d, x + i + lanes);
    const auto v2 = LoadLanes(d, x + i + 2 * lanes), v3 = LoadLanes(d, x + i + 3 * lanes);
    s0 = hn::MulAdd(v0, v0, s0), s1 = hn::MulAdd(v1, v1, s1);
    s2 = hn::MulAdd(v2, v2, s2), s3 = hn::MulAdd(v3, v3, s3);
  }
  for (; i + lanes <= n; i += lanes) {
    const auto v = LoadLanes(d, x + i);
    s0 = hn::MulAdd(v, v, s0);
  }
  auto rest = hn::Zero(d1);
  for (; i < n; ++i) {
    const auto v = LoadLanes(d1, x + i);
    rest = hn::MulAdd(v, v, rest);
  }
  const auto sums = hn::Add(hn::Add(s0, s1), hn::Add(s2, s3));
  return hn::GetLane(hn::SumOfLanes(d, sums)) + hn::GetLane(rest);
}

template <class T>
HWY_INLINE void WidenHead(const T* x, int64_t n, Compute<T>* to) {
  StoreEach<Compute<T>>(to, n, [=](auto d, int64_t i) HWY_ATTR { return LoadLanes(d, x + i); });
}

// to = x * weights / sqrt(mean(x^2) + epsilon), the roots of some heads before all else: they take
// long, but do not wait for each other.
template <class T>
HWY_INLINE void NormHeads(const T* x, int64_t x_head, int64_t heads, int64_t n,
                          const cpu::RmsNorm& norm, Compute<T>* to, int64_t to_head) {
  using C = Compute<T>;
  constexpr int64_t together = 8;
  const auto* weights = static_cast<const C*>(norm.weights);
  C scale[together];
  for (int64_t first = 0; first < heads; first += together) {
    const int64_t count = std::min(together, heads - first);
    for (int64_t h = 0; h < count; ++h) {
      const C mean = Squares(x + (first + h) * x_head, n) / static_cast<C>(n);
      scale[h] = 1 / std::sqrt(mean + static_cast<C>(norm.epsilon));
    }
    for (int64_t h = 0; h < count; ++h) {
      const T* from = x + (first + h) * x_head;
      const C factor = scale[h];
      StoreEach<C>(to + (first + h) * to_head, n, [=](auto d, int64_t i) HWY_ATTR {
        return hn::Mul(hn::Mul(LoadLanes(d, from + i), hn::Set(d, factor)),
                       hn::LoadU(d, weights + i));
      });
    }
  }
}

// Features that lie apart are brought together before the norm.
template <class T>
void ReadHeadsOf(const cpu::Heads& x, int64_t heads, int64_t dim, const cpu::RmsNorm& norm,
                 const cpu::Heads& to) {
  const auto* from = static_cast<const T*>(x.data);
  auto* out = static_cast<Compute<T>*>(to.data);
  if (x.feature == 1 && norm.weights)
    return NormHeads(from, x.head, heads, dim, norm, out, to.head);
  for (int64_t h = 0; h < heads && (x.data != to.data || x.feature != 1); ++h) {
    if (x.feature == 1) {
      WidenHead(from + h * x.head, dim, out + h * to.head);
    } else {
      for (int64_t i = 0; i < dim; ++i)
        WidenHead(from + h * x.head + i * x.feature, 1, out + h * to.head + i);
    }
  }
  if (norm.weights) NormHeads(out, to.head, heads, dim, norm, out, to.head);
}

void ReadHeads(DType dtype, const cpu::Heads& x, int64_t heads, int64_t dim,
               const cpu::RmsNorm& norm, const cpu::Heads& to) {
  dispatch(dtype, [&]<class T>() { ReadHeadsOf<T>(x, heads, dim, norm, to); });
}

template <class C, class T>
HWY_INLINE void WriteHead(const C* from, int64_t dim, T* to, int64_t step) {
  if constexpr (!std::is_same_v<C, Compute<T>>) {
    for (int64_t i = 0; i < dim; ++i) to[i * step] = {rounded_once<T>(from[i])};
  } else if (step == 1) {
    StoreEach<C>(to, dim, [=](auto d, int64_t i) HWY_ATTR { return hn::LoadU(d, from + i); });
  } else {
    const hn::CappedTag<C, 1> d1;
    for (int64_t i = 0; i < dim; ++i) StoreLanes(hn::LoadU(d1, from + i), d1, to + i * step);
  }
}

void WriteHeads(DType computed, const cpu::Heads& from, int64_t heads, int64_t dim, DType dtype,
                const cpu::Heads& out) {
  const auto write = [&]<class C>() {
    DispatchLanes(dtype, [&]<class T>() {
      for (int64_t h = 0; h < heads; ++h)
        WriteHead(static_cast<const C*>(from.data) + h * from.head, dim,
                  static_cast<T*>(out.data) + h * out.head, out.feature);
    });
  };
  dispatch_compute(computed, write);
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(ReadHeads);
HWY_EXPORT(WriteHeads);

void cpu::read_heads(DType dtype, const Heads& x, int64_t heads, int64_t dim, const RmsNorm& norm,
                     const Heads& to) {
  HWY_DYNAMIC_DISPATCH(ReadHeads)(dtype, x, heads, dim, norm, to);
}

void cpu::write_heads(DType computed, const Heads& from, int64_t heads, int64_t dim, DType dtype,
                      const Heads& out) {
  HWY_DYNAMIC_DISPATCH(WriteHeads)(computed, from, heads, dim, dtype, out);
}

}  // namespace posenc
#endif  // HWY_ONCE
