// two-inl.h: two vectors at a time, which is what a vector of f16 or bf16 becomes in its compute
// type: one load widens to both, one store takes both.
#if defined(POSENC_TWO_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_TWO_INL_H_
#undef POSENC_TWO_INL_H_
#else
#define POSENC_TWO_INL_H_
#endif

#include "cpu/kernels/lanes-inl.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The constructors are written out so that they are compiled for the instruction set they are in.
template <class D>
struct Two {
  hn::Vec<D> first, second;
  HWY_INLINE Two() {}
  HWY_INLINE Two(hn::Vec<D> u, hn::Vec<D> v) : first(u), second(v) {}
};

// The a of some pairs and their b.
template <class V>
struct PairLanes {
  V a, b;
  HWY_INLINE PairLanes() {}
  HWY_INLINE PairLanes(V u, V v) : a(u), b(v) {}
};

#if HWY_TARGET != HWY_SCALAR
// u0 v0 u1 v1 ..
template <class D>
HWY_INLINE Two<D> Zipped(D d, hn::Vec<D> u, hn::Vec<D> v) {
  if constexpr (hn::MaxLanes(D()) * sizeof(hn::TFromD<D>) <= 16) {
    return {hn::InterleaveLower(d, u, v), hn::InterleaveUpper(d, u, v)};
  } else {
    const hn::RebindToSigned<D> di;
    const auto low = hn::ShiftRight<1>(hn::Iota(di, 0));
    const auto high = hn::Add(low, hn::Set(di, static_cast<int>(hn::Lanes(d) / 2)));
    const auto at = hn::IndicesFromVec(d, low), up = hn::IndicesFromVec(d, high);
    return {hn::OddEven(hn::TableLookupLanes(v, at), hn::TableLookupLanes(u, at)),
            hn::OddEven(hn::TableLookupLanes(v, up), hn::TableLookupLanes(u, up))};
  }
}
#endif

// How 2 * lanes elements of type T get from memory to two vectors and back. Raw is what a load
// brings and a store takes: the elements as they are where one vector holds them all. Widened
// brings elements, and LoadRow a row for them, in an order that Rounded takes back; Packed takes
// them in the order of memory.
template <class D, class T>
struct Mover {
  using Raw = Two<D>;
  static constexpr bool in_one_vector = false;

  static HWY_INLINE Raw Load(const T* p) {
    return {LoadLanes(D(), p), LoadLanes(D(), p + hn::Lanes(D()))};
  }
  static HWY_INLINE void Store(const Raw& v, T* p) {
    StoreLanes(v.first, D(), p);
    StoreLanes(v.second, D(), p + hn::Lanes(D()));
  }
  static HWY_INLINE Two<D> LoadRow(const Compute<T>* p) { return Mover<D, Compute<T>>::Load(p); }
  static HWY_INLINE Two<D> Widened(const Raw& v) { return v; }
  static HWY_INLINE Raw Rounded(const Two<D>& v) { return v; }
  static HWY_INLINE Raw Packed(const Two<D>& v) { return v; }
#if HWY_TARGET != HWY_SCALAR
  // What a b a b .. in v.a and then in v.b becomes.
  static HWY_INLINE PairLanes<Two<D>> Separated(const PairLanes<Raw>& v) {
    const D d;
    return {{hn::ConcatEven(d, v.a.second, v.a.first), hn::ConcatEven(d, v.b.second, v.b.first)},
            {hn::ConcatOdd(d, v.a.second, v.a.first), hn::ConcatOdd(d, v.b.second, v.b.first)}};
  }
#endif
};

#if HWY_TARGET != HWY_SCALAR
// bf16 as the halves of words, elements 0 2 4 .. low and 1 3 5 .. high, so that nothing moves from
// lane to lane.
template <class D>
struct WordMover {
  using Raw = hn::Vec<hn::RebindToUnsigned<D>>;
  static constexpr bool in_one_vector = true;
  static constexpr hn::RebindToUnsigned<D> word{};
  static constexpr hn::Repartition<uint16_t, D> half{};

  static HWY_INLINE Raw Load(const BF16* p) {
    return hn::BitCast(word, hn::LoadU(half, reinterpret_cast<const uint16_t*>(p)));
  }
  static HWY_INLINE void Store(const Raw& v, BF16* p) {
    hn::StoreU(hn::BitCast(half, v), half, reinterpret_cast<uint16_t*>(p));
  }
  static HWY_INLINE Two<D> LoadRow(const float* p) { return EvenOdd(Mover<D, float>::Load(p)); }
  static HWY_INLINE Two<D> Widened(const Raw& v) {
    return {hn::BitCast(D(), hn::ShiftLeft<16>(v)),
            hn::BitCast(D(), hn::And(v, hn::Set(word, 0xffff0000u)))};
  }
  static HWY_INLINE PairLanes<Two<D>> Separated(const PairLanes<Raw>& v) {
    const auto y = Widened(v.a), z = Widened(v.b);
    return {{y.first, z.first}, {y.second, z.second}};
  }
  static HWY_INLINE Raw Rounded(const Two<D>& v) {
#if HWY_TARGET <= HWY_AVX2
    // Up by half a unit, which is wrong for ties alone: they end in zeros then.
    const Raw half_unit = hn::Set(word, 0x8000u);
    const Raw low = hn::Add(hn::BitCast(word, v.first), half_unit),
              high = hn::Add(hn::BitCast(word, v.second), half_unit);
    const auto least = hn::BitCast(word, hn::Min(hn::BitCast(half, low), hn::BitCast(half, high)));
    const auto ties = hn::Eq(hn::And(least, hn::Set(word, 0xffffu)), hn::Zero(word));
    if (HWY_LIKELY(hn::AllFalse(word, hn::Or(ties, hn::RebindMask(word, NaNs(v))))))
      return Halves(low, high);
#else
    if (HWY_LIKELY(!HasNaN(v)))
      return Halves(RoundedWords(D(), v.first), RoundedWords(D(), v.second));
#endif
    return Halves(RoundedOrNaN(D(), v.first), RoundedOrNaN(D(), v.second));
  }
  static HWY_INLINE Raw Packed(const Two<D>& v) { return Rounded(EvenOdd(v)); }
  static HWY_INLINE PairLanes<Raw> Joined(const PairLanes<Two<D>>& v) {
    return {Rounded({v.a.first, v.b.first}), Rounded({v.a.second, v.b.second})};
  }

 private:
  static HWY_INLINE Two<D> EvenOdd(const Two<D>& v) {
    return {hn::ConcatEven(D(), v.second, v.first), hn::ConcatOdd(D(), v.second, v.first)};
  }
  static HWY_INLINE Raw Halves(const Raw& low, const Raw& high) {
    return hn::BitCast(
        word, hn::OddEven(hn::BitCast(half, high), hn::BitCast(half, hn::ShiftRight<16>(low))));
  }
#if HWY_TARGET <= HWY_AVX2
  // Where one of the two is a NaN, or infinities of both signs meet.
  static HWY_INLINE hn::Mask<D> NaNs(const Two<D>& v) {
#if HWY_TARGET == HWY_AVX3
    if constexpr (hn::MaxLanes(D()) == 16)
      return {_mm512_cmp_ps_mask(v.first.raw, v.second.raw, _CMP_UNORD_Q)};
#endif
    return hn::IsNaN(hn::Add(v.first, v.second));
  }
#else
  // By bits: -ffast-math would take IsNaN for false.
  static HWY_INLINE bool HasNaN(const Two<D>& v) {
    const hn::RebindToSigned<D> integer;
    const auto magnitude = [&](const hn::Vec<D>& u) HWY_ATTR {
      return hn::And(hn::BitCast(integer, u), hn::Set(integer, 0x7fffffff));
    };
    return !hn::AllFalse(integer, hn::Gt(hn::Max(magnitude(v.first), magnitude(v.second)),
                                         hn::Set(integer, 0x7f800000)));
  }
#endif
};

template <class D>
struct Mover<D, BF16> : WordMover<D> {};

#if POSENC_X86_BF16
template <class D>
struct Mover<D, HardwareBF16> : WordMover<D> {};

using F32x16 = hn::Full512<float>;
template <>
struct Mover<F32x16, HardwareBF16> : WordMover<F32x16> {
  static HWY_INLINE Two<F32x16> LoadRow(const float* p) { return Mover<F32x16, float>::Load(p); }
  static HWY_INLINE Two<F32x16> Widened(const Raw& v) {
    return {Widened(_mm512_castsi512_si256(v.raw)), Widened(_mm512_extracti64x4_epi64(v.raw, 1))};
  }
  static HWY_INLINE Raw Rounded(const Two<F32x16>& v) {
    const __m512i bits = Converted(v);
    return HWY_LIKELY(IsRounded(v, bits)) ? Raw{bits} : WordMover<F32x16>::Packed(v);
  }
  static HWY_INLINE Raw Packed(const Two<F32x16>& v) { return Rounded(v); }
  static HWY_INLINE PairLanes<Raw> Joined(const PairLanes<Two<F32x16>>& v) {
    return {Joined(v.a.first, v.b.first), Joined(v.a.second, v.b.second)};
  }

 private:
  static HWY_INLINE hn::Vec<F32x16> Widened(__m256i v) {
    return hn::Vec<F32x16>{_mm512_castsi512_ps(_mm512_slli_epi32(_mm512_cvtepu16_epi32(v), 16))};
  }
  static HWY_INLINE __m512i Converted(const Two<F32x16>& v) {
    __m512i bits;
    asm("vcvtne2ps2bf16 %1, %2, %0" : "=v"(bits) : "v"(v.first.raw), "v"(v.second.raw));
    return bits;
  }
  // The instruction makes subnormal numbers 0: where there is a 0, it may have been one.
  static HWY_INLINE bool IsRounded(const Two<F32x16>& v, __m512i bits) {
    const bool no_zero = _mm512_testn_epi16_mask(bits, _mm512_set1_epi16(0x7fff)) == 0;
    return no_zero || !(HasSubnormal(v.first.raw) || HasSubnormal(v.second.raw));
  }
  static HWY_INLINE Raw Joined(const hn::Vec<F32x16>& a, const hn::Vec<F32x16>& b) {
    const __m512i bits = Converted({a, b});
    if (HWY_UNLIKELY(!IsRounded({a, b}, bits))) return WordMover<F32x16>::Rounded({a, b});
    const hn::Full512<uint32_t> words;  // of two indices each: 0 16, 1 17, ..
    const auto zip =
        hn::Add(hn::Mul(hn::Iota(words, 0), hn::Set(words, 0x10001u)), hn::Set(words, 0x100000u));
    return Raw{_mm512_permutexvar_epi16(zip.raw, bits)};
  }
};
#endif
#endif

#if HWY_TARGET == HWY_NEON && HWY_ARCH_ARM_A64
using F32x4 = hn::Full128<float>;
template <class T>
struct EightMover {
  using Raw = uint16x8_t;
  static constexpr bool in_one_vector = true;

  static HWY_INLINE Raw Load(const T* p) { return vld1q_u16(reinterpret_cast<const uint16_t*>(p)); }
  static HWY_INLINE void Store(Raw v, T* p) { vst1q_u16(reinterpret_cast<uint16_t*>(p), v); }
  static HWY_INLINE Two<F32x4> LoadRow(const float* p) { return Mover<F32x4, float>::Load(p); }
  static HWY_INLINE Raw Packed(const Two<F32x4>& v) { return Mover<F32x4, T>::Rounded(v); }
};

template <>
struct Mover<F32x4, F16> : EightMover<F16> {
  static HWY_INLINE Two<F32x4> Widened(Raw v) {
    const float16x8_t f = vreinterpretq_f16_u16(v);
    return {hn::Vec<F32x4>(vcvt_f32_f16(vget_low_f16(f))), hn::Vec<F32x4>(vcvt_high_f32_f16(f))};
  }
  static HWY_INLINE Raw Rounded(const Two<F32x4>& v) {
    return vreinterpretq_u16_f16(vcvt_high_f16_f32(vcvt_f16_f32(v.first.raw), v.second.raw));
  }
  static HWY_INLINE PairLanes<Two<F32x4>> Separated(const PairLanes<Raw>& v) {
    return {Widened(vuzp1q_u16(v.a, v.b)), Widened(vuzp2q_u16(v.a, v.b))};
  }
  static HWY_INLINE PairLanes<Raw> Joined(const PairLanes<Two<F32x4>>& v) {
    const Raw a = Rounded(v.a), b = Rounded(v.b);
    return {vzip1q_u16(a, b), vzip2q_u16(a, b)};
  }
};

#if POSENC_ARM_EXTENSIONS
template <>
struct Mover<F32x4, HardwareBF16> : EightMover<HardwareBF16> {
  static HWY_INLINE Two<F32x4> Widened(Raw v) {
    return {hn::Vec<F32x4>(vreinterpretq_f32_u32(vshll_n_u16(vget_low_u16(v), 16))),
            hn::Vec<F32x4>(vreinterpretq_f32_u32(vshll_high_n_u16(v, 16)))};
  }
  static HWY_INLINE Raw Rounded(const Two<F32x4>& v) {
    Raw bits;
    asm(".arch_extension bf16\n\tbfcvtn %0.4h, %1.4s" : "=w"(bits) : "w"(v.first.raw));
    asm(".arch_extension bf16\n\tbfcvtn2 %0.8h, %1.4s" : "+w"(bits) : "w"(v.second.raw));
    return bits;
  }
  // The low half of a word is an a, the high half a b.
  static HWY_INLINE PairLanes<hn::Vec<F32x4>> Separated(Raw v) {
    const uint32x4_t words = vreinterpretq_u32_u16(v);
    return {hn::Vec<F32x4>(vreinterpretq_f32_u32(vshlq_n_u32(words, 16))),
            hn::Vec<F32x4>(vreinterpretq_f32_u32(vandq_u32(words, vdupq_n_u32(0xffff0000))))};
  }
  static HWY_INLINE PairLanes<Two<F32x4>> Separated(const PairLanes<Raw>& v) {
    const auto y = Separated(v.a), z = Separated(v.b);
    return {{y.a, z.a}, {y.b, z.b}};
  }
  static HWY_INLINE PairLanes<Raw> Joined(const PairLanes<Two<F32x4>>& v) {
    const Raw a = Rounded(v.a), b = Rounded(v.b);
    return {vzip1q_u16(a, b), vzip2q_u16(a, b)};
  }
};
#endif
#endif

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
