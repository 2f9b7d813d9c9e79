// rotate.cc: rotates the heads of tokens, for every dtype, layout and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/rotate.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/rotate-inl.h"
#include "cpu/kernels/rotate.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// Interleaved to halves in the same memory, through a buffer.
template <class T>
void RotateToHalvesInPlace(T* x, int64_t step, Row<Compute<T>> row, int64_t pairs) {
  T turned[2 * max_pairs];
  if (step == 1) {
    RotateHeads<PairForm::pairs_to_halves, 1>(HeadsAt<T>{x, turned, 0, 0}, row, pairs);
  } else {
    RotateEach<PairForm::pairs_to_halves>(x, step, turned, 1, row, 0, pairs);
  }
  for (int64_t i = 0; i < 2 * pairs; ++i) x[i * step] = turned[i];
}

// The heads of a token, two at a time except where a row is best read anew for each. What lies
// `ahead` elements later is fetched, unless that is 0.
template <PairForm kForm, class T>
HWY_NOINLINE void RotateDense(HeadsAt<T> at, Row<Compute<T>> row, int64_t heads, int64_t pairs,
                              int64_t ahead) {
  constexpr int64_t together = std::is_same_v<T, HardwareF16> ? 1 : 2;
  int64_t h = 0;
  for (; h + together <= heads; h += together) {
    for (int64_t i = 0; ahead != 0 && i < together; ++i)
      Fetch<1>(at.x + ahead + i * at.x_head, 2 * pairs);
    RotateHeads<kForm, together>(at, row, pairs);
    at = at.from(together * at.x_head, together * at.out_head);
  }
  if (h < heads) RotateHeads<kForm, 1>(at, row, pairs);
}

// One head after the other: strided, or interleaved to halves in the same memory.
template <PairForm kForm, class T>
void RotateStrided(HeadsAt<T> at, int64_t x_step, int64_t out_step, Row<Compute<T>> row,
                   int64_t heads, int64_t pairs) {
  const bool in_place = at.x == at.out;
  for (int64_t h = 0; h < heads; ++h, at = at.from(at.x_head, at.out_head)) {
    if constexpr (kForm == PairForm::pairs_to_halves)
      if (in_place) {
        RotateToHalvesInPlace(at.out, out_step, row, pairs);
        continue;
      }
    RotateEach<kForm>(at.x, x_step, at.out, out_step, row, 0, pairs);
  }
}

// The distance from the features that are rotated to those that are fetched, in elements.
template <class T>
int64_t Ahead(const cpu::Heads& x, int64_t heads, int64_t pairs) {
  const int64_t bytes = heads * 2 * pairs * static_cast<int64_t>(sizeof(T));
  return worth_fetching<T> && bytes > 0 ? std::max<int64_t>(1, fetch_bytes / bytes) * x.token : 0;
}

template <PairForm kForm, class T>
void RotateTokens(const RotarySpan& span, const cpu::Heads& x, const cpu::Heads& out,
                  int64_t tokens, int64_t heads, const cpu::Angles& angles, bool fetch_ahead) {
  const cpu::Heads from = x, to = out;
  const cpu::Angles by = angles;
  const int64_t blocks = span.blocks, first = span.first;
  const int64_t pairs = blocks == 1 ? span.pairs : span.pairs / blocks;
  const bool moves = kForm == PairForm::pairs_to_halves && from.data == to.data;
  const bool dense = from.feature == 1 && to.feature == 1 && !moves;
  const int64_t ahead = fetch_ahead ? Ahead<T>(x, heads, pairs) : 0;
  Compute<T> negated[max_pairs];
  for (int64_t block = 0; block < blocks; ++block) {
    const int64_t feature = first + block * 2 * pairs;
    const auto* cosine = static_cast<const Compute<T>*>(by.cosines) + block * pairs;
    for (int64_t t = 0; t < tokens; ++t, cosine += by.token) {
      const HeadsAt<T> at{
          static_cast<const T*>(from.data) + t * from.token + feature * from.feature,
          static_cast<T*>(to.data) + t * to.token + feature * to.feature, from.head, to.head};
      Row<Compute<T>> row{cosine, cosine + by.sines};
      const auto next = row.from(by.token);
      if (t + 1 < tokens) Fetch<3>(next.cosine, pairs), Fetch<3>(next.sine, pairs);
      if (by.back) {
        for (int64_t k = 0; k < pairs; ++k) negated[k] = -row.sine[k];
        row.sine = negated;
      }
      if (dense) {
        RotateDense<kForm>(at, row, heads, pairs, ahead);
      } else {
        RotateStrided<kForm>(at, from.feature, to.feature, row, heads, pairs);
      }
    }
  }
}

template <class T>
cpu::RotateKernel KernelOf(Layout layout) {
  if constexpr (POSENC_ARM_EXTENSIONS && std::is_same_v<T, float>)
    if (layout == Layout::interleaved && has_hardware_complex)
      return &RotateTokens<PairForm::complex, T>;
  switch (layout) {
    case Layout::half:
      return &RotateTokens<PairForm::halves, T>;
    case Layout::interleaved:
      return &RotateTokens<PairForm::pairs, T>;
    default:
      return &RotateTokens<PairForm::pairs_to_halves, T>;
  }
}

cpu::RotateKernel FindKernel(DType dtype, Layout layout) {
#if POSENC_ARM_EXTENSIONS
  if (dtype == DType::f16 && layout == Layout::half && has_hardware_f16)
    return &RotateTokens<PairForm::halves, HardwareF16>;
#endif
  cpu::RotateKernel found = nullptr;
  DispatchLanes(dtype, [&]<class T>() { found = KernelOf<T>(layout); });
  return found;
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(FindKernel);

cpu::RotateKernel cpu::rotate_kernel(DType dtype, Layout layout) {
  return HWY_DYNAMIC_DISPATCH(FindKernel)(dtype, layout);
}

}  // namespace posenc
#endif  // HWY_ONCE
