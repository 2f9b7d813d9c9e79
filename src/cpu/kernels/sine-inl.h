// sine-inl.h: sines of exact phases, in f64.
#if defined(POSENC_SINE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_SINE_INL_H_
#undef POSENC_SINE_INL_H_
#else
#define POSENC_SINE_INL_H_
#endif

#include "cpu/kernels/lanes-inl.h"
#include "cpu/kernels/waves.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using D64 = hn::ScalableTag<double>;
using Turns = hn::Vec<hn::RebindToUnsigned<D64>>;

// Phases whose sines are taken together, so that one polynomial does not wait
// for itself.
inline constexpr size_t kTogether = 4;

// i64 to f64. Where the hardware has no instruction for it, Highway cancels large numbers against
// each other, which -ffast-math optimises away; so there it is done in two exact halves.
HWY_INLINE V64 ToDouble(D64 d, hn::Vec<hn::RebindToSigned<D64>> v) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_SSE4
  const hn::RebindToUnsigned<D64> du;
  const hn::Rebind<uint32_t, D64> half;
  const hn::Rebind<int32_t, D64> signed_half;
  const auto bits = hn::BitCast(du, v);
  const auto top = hn::ShiftRight<32>(hn::Add(bits, hn::Set(du, 1ull << 31)));
  const auto part = [&](auto u) HWY_ATTR {
    return hn::PromoteTo(d, hn::BitCast(signed_half, hn::TruncateTo(half, u)));
  };
  return hn::MulAdd(part(top), hn::Set(d, 0x1p32), part(bits));
#else
  return hn::ConvertTo(d, v);
#endif
}

// The angle in radians, folded to [-1/4, 1/4] turns.
HWY_INLINE V64 Folded(D64 d, Turns phase) {
  const hn::RebindToUnsigned<D64> du;
  const hn::RebindToSigned<D64> di;
  const auto beyond = hn::Lt(hn::BitCast(di, hn::Add(phase, hn::Set(du, quarter_turn))),
                             hn::Zero(di));  // more than a quarter away from 0
  const auto folded = hn::IfThenElse(
      beyond, hn::BitCast(di, hn::Sub(hn::Set(du, 1ull << 63), phase)), hn::BitCast(di, phase));
  return hn::Mul(ToDouble(d, folded), hn::Set(d, 6.283185307179586477 * 0x1p-64));
}

// out = sin(2 pi (phase + shift)): an odd polynomial of the folded angle
// (truncation 4e-17).
HWY_INLINE void SinTurns(const Turn* phase, Turn shift, V64 (&out)[kTogether]) {
  const D64 d;
  const hn::RebindToUnsigned<D64> du;
  constexpr double c[] = {2.7314368769379893e-15, -7.643969663988074e-13, 1.6058977292642743e-10,
                          -2.505210761669045e-08, 2.7557319219160833e-06, -0.00019841269841254966,
                          0.008333333333333316,   -0.16666666666666666};
  V64 x[kTogether], z[kTogether], p[kTogether];
  for (size_t k = 0; k < kTogether; ++k) {
    x[k] = Folded(d, hn::Add(hn::LoadU(du, phase + k * hn::Lanes(d)), hn::Set(du, shift)));
    z[k] = hn::Mul(x[k], x[k]);
    p[k] = hn::Set(d, c[0]);
  }
  for (int i = 1; i < 8; ++i)
    for (size_t k = 0; k < kTogether; ++k) p[k] = hn::MulAdd(p[k], z[k], hn::Set(d, c[i]));
  for (size_t k = 0; k < kTogether; ++k) out[k] = hn::MulAdd(hn::Mul(x[k], z[k]), p[k], x[k]);
}

// Products of a frequency and a whole position below 2^32, added to `from`: those of 32 bits, which
// vectors have, are what 64 by 64 bits come to. Returns how many of n were done.
HWY_INLINE size_t AddProducts(const Turn* from, const uint64_t* hi, const uint64_t* lo, uint64_t p,
                              size_t n, Turn* out) {
  size_t i = 0;
#if HWY_TARGET <= HWY_AVX2  // elsewhere one number at a time is as quick
  const hn::ScalableTag<uint64_t> d;
  const hn::Repartition<uint32_t, decltype(d)> half;
  const auto position = hn::BitCast(half, hn::Set(d, p));
  const auto product = [&](Turns v)
                           HWY_ATTR { return hn::MulEven(hn::BitCast(half, v), position); };
  for (; i + hn::Lanes(d) <= n; i += hn::Lanes(d)) {
    const auto h = hn::LoadU(d, hi + i), l = hn::LoadU(d, lo + i);
    const auto low =
        hn::ShiftRight<32>(hn::Add(product(hn::ShiftRight<32>(l)), hn::ShiftRight<32>(product(l))));
    const auto high = hn::Add(product(h), hn::ShiftLeft<32>(product(hn::ShiftRight<32>(h))));
    hn::StoreU(hn::Add(hn::LoadU(d, from + i), hn::Add(high, low)), d, out + i);
  }
#else
  (void)from, (void)hi, (void)lo, (void)p, (void)n, (void)out;
#endif
  return i;
}

// The phases of one row.
HWY_INLINE void PhasesAt(const Waves& w, size_t column, size_t n, const cpu::Coordinates& at,
                         int64_t row, Turn* out) {
  const Turn* from = &w.phase[column];
  for (int64_t a = 0; a < w.axes; ++a, from = out) {
    const int64_t whole = at.whole[a][row];
    const uint64_t part = at.part[a][row], rest = at.rest[a][row];
    const size_t first = static_cast<size_t>(a * w.padded) + column;
    const uint64_t *hi = &w.hi[first], *lo = &w.lo[first], *turns = &w.turns[first];
    const auto p = static_cast<uint64_t>(whole);
    const uint64_t negative = whole < 0 ? ~uint64_t{0} : 0;
    for (size_t i = p >> 32 == 0 ? AddProducts(from, hi, lo, p, n, out) : 0; i < n; ++i)
      out[i] = from[i] + hi[i] * p + high_product(lo[i], p) - (lo[i] & negative);
    if (part != 0)
      for (size_t i = 0; i < n; ++i) out[i] += part * turns[i] + high_product(part, hi[i]);
    if (rest != 0)
      for (size_t i = 0; i < n; ++i)
        out[i] += high_product(rest, turns[i]) - (turns[i] >> 63) * rest;
  }
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
