// rotate-inl.h: turns the pairs of heads whose features lie side by side.
#if defined(POSENC_ROTATE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef POSENC_ROTATE_INL_H_
#undef POSENC_ROTATE_INL_H_
#else
#define POSENC_ROTATE_INL_H_
#endif

#include <algorithm>

#include "cpu/kernels/eights-inl.h"
#include "cpu/kernels/two-inl.h"
#include "hwy/highway.h"
#include "posenc/layout.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// How pairs lie in memory and how they are turned there: `complex` is `pairs` by Arm's complex
// instructions.
enum class PairForm { halves, pairs_to_halves, pairs, complex };

// The cosines and sines of a head.
template <class C>
struct Row {
  const C *cosine, *sine;
  HWY_INLINE Row from(int64_t k) const { return {cosine + k, sine + k}; }
};

// Heads that share a row; each lies `x_head` and `out_head` elements after the one before.
template <class T>
struct HeadsAt {
  const T* x;
  T* out;
  int64_t x_head, out_head;
  HWY_INLINE HeadsAt from(int64_t x_places, int64_t out_places) const {
    return {x + x_places, out + out_places, x_head, out_head};
  }
};

template <class V>
HWY_INLINE PairLanes<V> Turned(V a, V b, V cosine, V sine) {
  return {hn::NegMulAdd(b, sine, hn::Mul(a, cosine)), hn::MulAdd(a, sine, hn::Mul(b, cosine))};
}

// p in a register of its own: what lies near it is then moved two vectors at a time.
template <class P>
HWY_INLINE P* InRegister(P* p) {
  asm("" : "+r"(p));
  return p;
}

// One pair at a time, features any distance apart: pairs [k, pairs) of a head.
template <PairForm kForm, class T>
HWY_INLINE void RotateEach(const T* x, int64_t x_step, T* out, int64_t out_step,
                           Row<Compute<T>> row, int64_t k, int64_t pairs) {
  constexpr bool apart_in = kForm == PairForm::halves,
                 apart_out = apart_in || kForm == PairForm::pairs_to_halves;
  const hn::CappedTag<Compute<T>, 1> d;
  for (; k < pairs; ++k) {
    const T* a = x + (apart_in ? k : 2 * k) * x_step;
    T* to = out + (apart_out ? k : 2 * k) * out_step;
    const auto y = Turned(LoadLanes(d, a), LoadLanes(d, a + (apart_in ? pairs : 1) * x_step),
                          hn::LoadU(d, row.cosine + k), hn::LoadU(d, row.sine + k));
    StoreLanes(y.a, d, to);
    StoreLanes(y.b, d, to + (apart_out ? pairs : 1) * out_step);
  }
}

#if HWY_TARGET != HWY_SCALAR
// v cos + (v with the numbers of each pair exchanged) (-sin, sin).
template <PairForm kForm, class D>
HWY_INLINE hn::Vec<D> TurnedInPlace(D d, hn::Vec<D> v, hn::Vec<D> cosine, hn::Vec<D> sine) {
  auto y = hn::Mul(v, cosine);
  if constexpr (kForm == PairForm::complex) {
#if POSENC_ARM_EXTENSIONS
    asm(".arch_extension compnum\n\tfcmla %0.4s, %1.4s, %2.4s, #90"
        : "+w"(y.raw)
        : "w"(sine.raw), "w"(v.raw));
#endif
    return y;
  } else {
    return hn::MulAdd(hn::Reverse2(d, v), sine, y);
  }
}

// Below, all of a head that a step takes is read and rounded before any of it is written, which
// saves a sixth of the time.

// kCount times `lanes` interleaved pairs as they lie.
template <PairForm kForm, int kHeads, size_t kCount, class D, class T>
HWY_INLINE void RotateZipped(D d, HeadsAt<T> at, Row<Compute<T>> row) {
  using Move = Mover<D, T>;
  const size_t lanes = hn::Lanes(d);
  Two<D> cosine[kCount], sine[kCount], v[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    const auto c = hn::LoadU(d, row.cosine + i * lanes), s = hn::LoadU(d, row.sine + i * lanes);
    cosine[i] = Zipped(d, c, c);
    sine[i] = Zipped(d, kForm == PairForm::complex ? s : hn::Neg(s), s);
  }
  for (int h = 0; h < kHeads; ++h) {
    const T* x = InRegister(at.x + h * at.x_head);
    T* out = InRegister(at.out + h * at.out_head);
    for (size_t i = 0; i < kCount; ++i) v[i] = Move::Load(x + 2 * i * lanes);
    for (size_t i = 0; i < kCount; ++i)
      Move::Store({TurnedInPlace<kForm>(d, v[i].first, cosine[i].first, sine[i].first),
                   TurnedInPlace<kForm>(d, v[i].second, cosine[i].second, sine[i].second)},
                  out + 2 * i * lanes);
  }
}

template <class D>
HWY_INLINE PairLanes<Two<D>> Turned(const Two<D>& a, const Two<D>& b, const Two<D>& cosine,
                                    const Two<D>& sine) {
  const auto y = Turned(a.first, b.first, cosine.first, sine.first);
  const auto z = Turned(a.second, b.second, cosine.second, sine.second);
  return {{y.a, z.a}, {y.b, z.b}};
}

// 2 * lanes pairs, from what was read to what is written.
template <PairForm kForm, class D, class T>
HWY_INLINE auto TurnedRaw(const PairLanes<typename Mover<D, T>::Raw>& v, const Two<D>& cosine,
                          const Two<D>& sine) {
  using Move = Mover<D, T>;
  PairLanes<Two<D>> y;
  if constexpr (kForm == PairForm::halves) {
    y = {Move::Widened(v.a), Move::Widened(v.b)};
  } else {
    y = Move::Separated(v);
  }
  y = Turned(y.a, y.b, cosine, sine);
  if constexpr (kForm == PairForm::pairs) {
    return Move::Joined(y);
  } else if constexpr (kForm == PairForm::halves) {
    return PairLanes<typename Move::Raw>(Move::Rounded(y.a), Move::Rounded(y.b));
  } else {
    return PairLanes<typename Move::Raw>(Move::Packed(y.a), Move::Packed(y.b));
  }
}

// kCount times 2 * lanes pairs, separated into a and b on the way.
template <PairForm kForm, int kHeads, size_t kCount, class D, class T>
HWY_INLINE void RotateSeparated(D d, HeadsAt<T> at, Row<Compute<T>> row, int64_t pairs) {
  using Move = Mover<D, T>;
  using MoveRow = Mover<D, Compute<T>>;
  constexpr bool kInPairs = kForm == PairForm::pairs;
  const size_t two = 2 * hn::Lanes(d);
  Two<D> cosine[kCount], sine[kCount];
  PairLanes<typename Move::Raw> v[kCount];
  for (size_t i = 0; i < kCount; ++i) {
    if constexpr (kForm == PairForm::halves) {
      cosine[i] = Move::LoadRow(row.cosine + i * two), sine[i] = Move::LoadRow(row.sine + i * two);
    } else {
      cosine[i] = MoveRow::Load(row.cosine + i * two), sine[i] = MoveRow::Load(row.sine + i * two);
    }
  }
  for (int h = 0; h < kHeads; ++h) {
    const T *x = InRegister(at.x + h * at.x_head), *x_b = InRegister(x + pairs);
    T *out = InRegister(at.out + h * at.out_head), *out_b = InRegister(out + pairs);
    for (size_t i = 0; i < kCount; ++i) {
      if constexpr (kForm == PairForm::halves) {
        v[i] = {Move::Load(x + i * two), Move::Load(x_b + i * two)};
      } else {
        v[i] = {Move::Load(x + 2 * i * two), Move::Load(x + (2 * i + 1) * two)};
      }
    }
    for (size_t i = 0; i < kCount; ++i) v[i] = TurnedRaw<kForm, D, T>(v[i], cosine[i], sine[i]);
    for (size_t i = 0; i < kCount; ++i) Move::Store(v[i].a, out + (kInPairs ? 2 * i : i) * two);
    for (size_t i = 0; i < kCount; ++i)
      Move::Store(v[i].b, kInPairs ? out + (2 * i + 1) * two : out_b + i * two);
  }
}

// Pairs from k on, as many as whole steps of kCount times 2 * lanes hold; returns the next.
template <PairForm kForm, int kHeads, size_t kCount, class D, class T>
HWY_INLINE int64_t RotateSteps(D d, HeadsAt<T> at, Row<Compute<T>> row, int64_t k, int64_t pairs) {
  constexpr bool interleaved = kForm == PairForm::pairs || kForm == PairForm::complex;
  const auto step = static_cast<int64_t>(kCount * 2 * hn::Lanes(d));
  for (; k + step <= pairs; k += step) {
    const auto here = at.from(kForm == PairForm::halves ? k : 2 * k, interleaved ? 2 * k : k);
    if constexpr (interleaved && !Mover<D, T>::in_one_vector) {
      RotateZipped<kForm, kHeads, 2 * kCount>(d, here, row.from(k));
    } else {
      RotateSeparated<kForm, kHeads, kCount>(d, here, row.from(k), pairs);
    }
  }
  return k;
}
#endif

// kHeads heads. x may be out unless the layout changes on the way.
template <PairForm kForm, int kHeads, class T>
HWY_INLINE void RotateHeads(HeadsAt<T> at, Row<Compute<T>> row, int64_t pairs) {
  int64_t k = 0;
#if HWY_TARGET != HWY_SCALAR
  if constexpr (std::is_same_v<T, HardwareF16>) {
    static_assert(kForm == PairForm::halves && kHeads == 1);
    k = RotateEights(at.x, at.out, row.cosine, row.sine, pairs);
  } else {
    const hn::ScalableTag<Compute<T>> d;
    const hn::CappedTag<Compute<T>, 4> narrow;
    constexpr size_t line = 64 / sizeof(T), two = 2 * hn::MaxLanes(d);
    k = RotateSteps<kForm, kHeads, std::max<size_t>(1, line / two)>(d, at, row, k, pairs);
    if (k < pairs) k = RotateSteps<kForm, kHeads, 1>(narrow, at, row, k, pairs);
  }
  if (k == pairs) return;
#endif
  for (int h = 0; h < kHeads; ++h)
    RotateEach<kForm>(at.x + h * at.x_head, 1, at.out + h * at.out_head, 1, row, k, pairs);
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
