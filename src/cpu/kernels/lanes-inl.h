// lanes-inl.h: load and store any element type as lanes of its compute type, so
// that a kernel is written once for f32, f64, f16 and bf16. Every store rounds
// to nearest even.
#if defined(POSENC_LANES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_LANES_INL_H_
#undef POSENC_LANES_INL_H_
#else
#define POSENC_LANES_INL_H_
#endif

#include "base/dispatch.h"
#include "base/half.h"
#include "hwy/highway.h"
#include "posenc/tensor.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Highway's own f32 -> f16 truncates where the hardware has no instruction for
// it.
#if HWY_TARGET == HWY_NEON || HWY_TARGET <= HWY_AVX2
inline constexpr bool has_f16_conversion = true;
#else
inline constexpr bool has_f16_conversion = false;
#endif

// Arm's extensions for f16, bf16 and complex numbers, used where the processor has them. clang 14's
// assembler does not know them by name.
#undef POSENC_ARM_EXTENSIONS
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64 && !HWY_COMPILER_CLANG
#define POSENC_ARM_EXTENSIONS 1
#else
#define POSENC_ARM_EXTENSIONS 0
#endif
// The same of x86, for bf16; clang refuses those instructions outside functions made for them.
#undef POSENC_X86_BF16
#if HWY_TARGET == HWY_AVX3 && !HWY_COMPILER_CLANG
#define POSENC_X86_BF16 1
#else
#define POSENC_X86_BF16 0
#endif

// dispatch() for kernels that store with StoreLanes.
template <class F>
HWY_INLINE void DispatchLanes(DType dtype, F&& f) {
#if POSENC_ARM_EXTENSIONS || POSENC_X86_BF16
  if (dtype == DType::bf16 && has_hardware_bf16) return f.template operator()<HardwareBF16>();
#endif
  dispatch(dtype, f);
}

// Asks for elements to be brought into the first cache (kLevel 3), the second (2) or the last (1).
template <int kLevel, class T>
HWY_INLINE void Fetch(const T* p, int64_t count) {
  for (int64_t i = 0; i < count; i += 64 / sizeof(T)) __builtin_prefetch(p + i, 0, kLevel);
}
// How far ahead of its use memory is fetched, so that it has time to answer. On AArch64, rounding
// to 16 bits takes longer than memory does, so there it would only cost.
inline constexpr int64_t fetch_bytes = 16 * 1024;
template <class T>
inline constexpr bool worth_fetching = HWY_ARCH_X86 || sizeof(T) > 2;

template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, const float* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, const double* p) {
  return hn::LoadU(d, p);
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, const BF16* p) {
  const hn::Rebind<uint16_t, D> half;
  const auto bits = hn::LoadU(half, reinterpret_cast<const uint16_t*>(p));
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  if constexpr (hn::MaxLanes(D()) == 4)
    return hn::Vec<D>(vreinterpretq_f32_u32(vshll_n_u16(bits.raw, 16)));
#endif
  const hn::RebindToUnsigned<D> word;
  return hn::BitCast(d, hn::ShiftLeft<16>(hn::PromoteTo(word, bits)));
}
template <class D>
HWY_INLINE hn::Vec<D> LoadLanes(D d, const F16* p) {
  if constexpr (has_f16_conversion) {
    const hn::Rebind<hwy::float16_t, D> half;
    return hn::PromoteTo(d, hn::LoadU(half, reinterpret_cast<const hwy::float16_t*>(p)));
  } else {
    HWY_ALIGN float lanes[HWY_MAX_BYTES / 4];
    for (size_t i = 0; i < hn::Lanes(d); ++i) lanes[i] = to_f32(p[i]);
    return hn::Load(d, lanes);
  }
}

template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D d, float* p) {
  hn::StoreU(v, d, p);
}
template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D d, double* p) {
  hn::StoreU(v, d, p);
}
// Numbers rounded to nearest even, in integers, in the high half of each word; not for NaNs.
template <class D>
HWY_INLINE auto RoundedWords(D, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> word;
  const auto bits = hn::BitCast(word, v);
  const auto odd = hn::TestBit(bits, hn::Set(word, 0x10000u));
  return hn::Add(bits, hn::IfThenElse(odd, hn::Set(word, 0x8000u), hn::Set(word, 0x7fffu)));
}
// The same; a NaN keeps its sign and stays a NaN. It is seen by its bits, which no compiler's flag
// changes.
template <class D>
HWY_INLINE auto RoundedOrNaN(D d, hn::Vec<D> v) {
  const hn::RebindToUnsigned<D> word;
  const hn::RebindToSigned<D> integer;
  const auto magnitude = hn::And(hn::BitCast(integer, v), hn::Set(integer, 0x7fffffff));
  const auto is_nan = hn::RebindMask(word, hn::Gt(magnitude, hn::Set(integer, 0x7f800000)));
  const auto quiet = hn::Or(hn::BitCast(word, v), hn::Set(word, 0x400000u));
  return hn::IfThenElse(is_nan, quiet, RoundedWords(d, v));
}
template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D d, BF16* p) {
  const hn::Rebind<uint16_t, D> half;
  const auto high = hn::BitCast(hn::RebindToSigned<D>(), hn::ShiftRight<16>(RoundedOrNaN(d, v)));
  hn::StoreU(hn::DemoteTo(half, high), half, reinterpret_cast<uint16_t*>(p));
}
#if POSENC_ARM_EXTENSIONS
template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D, HardwareBF16* p) {
  const hn::Rebind<uint16_t, D> half;
  hn::Vec<decltype(half)> bits;
  asm(".arch_extension bf16\n\tbfcvtn %0.4h, %1.4s" : "=w"(bits.raw) : "w"(v.raw));
  hn::StoreU(bits, half, reinterpret_cast<uint16_t*>(p));
}
#elif POSENC_X86_BF16
HWY_INLINE bool HasSubnormal(__m512 v) { return _mm512_fpclass_ps_mask(v, 0x20) != 0; }

template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D d, HardwareBF16* p) {
  if constexpr (hn::MaxLanes(D()) == 16) {
    const hn::Rebind<uint16_t, D> half;
    hn::Vec<decltype(half)> bits;
    asm("vcvtneps2bf16 %1, %0" : "=v"(bits.raw) : "v"(v.raw));
    // The instruction makes subnormal numbers 0: where there is a 0, it may have been one.
    const bool no_zero = _mm256_testn_epi16_mask(bits.raw, _mm256_set1_epi16(0x7fff)) == 0;
    if (HWY_LIKELY(no_zero || !HasSubnormal(v.raw)))
      return hn::StoreU(bits, half, reinterpret_cast<uint16_t*>(p));
  }
  StoreLanes(v, d, static_cast<BF16*>(p));
}
#endif
template <class D>
HWY_INLINE void StoreLanes(hn::Vec<D> v, D d, F16* p) {
  if constexpr (has_f16_conversion) {
    const hn::Rebind<hwy::float16_t, D> half;
    hn::StoreU(hn::DemoteTo(half, v), half, reinterpret_cast<hwy::float16_t*>(p));
  } else {
    HWY_ALIGN float lanes[HWY_MAX_BYTES / 4];
    hn::Store(v, d, lanes);
    for (size_t i = 0; i < hn::Lanes(d); ++i) p[i] = to_f16(lanes[i]);
  }
}

// Ends the compiler's view of v here: what comes before stays before, and
// nothing derived from v (its negative, an early copy) is kept in another
// register.
template <class V>
HWY_INLINE V Settled(V v) {
#if HWY_TARGET == HWY_EMU128 || HWY_TARGET == HWY_SCALAR  // an array or a number
#elif HWY_ARCH_ARM_A64
  asm volatile("" : "+w"(v.raw));
#elif HWY_ARCH_X86
  asm volatile("" : "+x"(v.raw));
#endif
  return v;
}

// Two vectors of f64 rounded to f32, side by side.
using V64 = hn::Vec<hn::ScalableTag<double>>;
#if HWY_TARGET == HWY_SCALAR
struct Narrowed {
  hn::Vec1<float> low, high;
};
HWY_INLINE Narrowed Narrow(V64 low, V64 high) {
  const hn::Rebind<float, hn::ScalableTag<double>> df;
  return {hn::DemoteTo(df, low), hn::DemoteTo(df, high)};
}
#else
using Narrowed = hn::Vec<hn::ScalableTag<float>>;
HWY_INLINE Narrowed Narrow(V64 low, V64 high) {
#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
  return Narrowed(vcvt_high_f32_f64(vcvt_f32_f64(low.raw), high.raw));
#else
  const hn::ScalableTag<float> df;
  const hn::Half<decltype(df)> half;
  return hn::Combine(df, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
#endif
}
#endif

// Rounds them on to T; negated on the way if asked.
template <bool kNegate, class T>
HWY_INLINE void StoreNarrowed(Narrowed f, T* out) {
  const hn::ScalableTag<float> df;
#if HWY_TARGET == HWY_SCALAR
  StoreLanes(kNegate ? hn::Neg(f.low) : f.low, df, out);
  StoreLanes(kNegate ? hn::Neg(f.high) : f.high, df, out + 1);
#else
  StoreLanes(kNegate ? hn::Neg(f) : f, df, out);
#endif
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
