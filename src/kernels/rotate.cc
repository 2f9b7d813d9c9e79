// rotate.cc: turns the heads of tokens, for every dtype, layout and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rotate.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "kernels/rotate.h"
#include "kernels/turn-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

template <class T>
void Reverse(T* p, int64_t step, int64_t n) {
  for (int64_t i = 0; i < n / 2; ++i) std::swap(p[i * step], p[(n - 1 - i) * step]);
}

// Interleaved to halves in the same memory. A short head goes through a buffer; a long one is done
// in two parts, a a | b b | a a | b b, whose middle is then exchanged.
constexpr int64_t buffered_pairs = 512;
template <class T>
void TurnToHalvesInPlace(T* x, int64_t step, Row<Compute<T>> row, int64_t pairs) {
  if (pairs <= buffered_pairs) {
    T turned[2 * buffered_pairs];
    if (step == 1) {
      TurnHeads<Form::pairs_to_halves, 1>(HeadsAt<T>{x, turned, 0, 0}, row, pairs);
    } else {
      TurnEach<Form::pairs_to_halves>(x, step, turned, 1, row, 0, pairs);
    }
    for (int64_t i = 0; i < 2 * pairs; ++i) x[i * step] = turned[i];
    return;
  }
  const int64_t left = pairs / 2, right = pairs - left;
  TurnToHalvesInPlace(x, step, row, left);
  TurnToHalvesInPlace(x + 2 * left * step, step, row.from(left), right);
  T* middle = x + left * step;
  Reverse(middle, step, left);
  Reverse(middle + left * step, step, right);
  Reverse(middle, step, left + right);
}

// The heads of a token, two at a time where they share a row.
template <Form kForm, class T>
HWY_NOINLINE void TurnDense(HeadsAt<T> at, const Compute<T>* cosine, int64_t sines,
                            int64_t row_head, int64_t heads, int64_t pairs) {
  int64_t h = 0;
  if (row_head == 0)
    for (; h + 2 <= heads; h += 2, at = at.from(2 * at.x_head, 2 * at.out_head))
      TurnHeads<kForm, 2>(at, {cosine, cosine + sines}, pairs);
  for (; h < heads; ++h, at = at.from(at.x_head, at.out_head), cosine += row_head)
    TurnHeads<kForm, 1>(at, {cosine, cosine + sines}, pairs);
}

// One head after the other: strided, or interleaved to halves in the same memory.
template <Form kForm, class T>
void TurnOthers(HeadsAt<T> at, int64_t x_step, int64_t out_step, const Compute<T>* cosine,
                int64_t sines, int64_t row_head, int64_t heads, int64_t pairs) {
  const bool in_place = at.x == at.out;
  for (int64_t h = 0; h < heads; ++h, at = at.from(at.x_head, at.out_head), cosine += row_head) {
    const Row<Compute<T>> row{cosine, cosine + sines};
    if (kForm == Form::pairs_to_halves && in_place) {
      TurnToHalvesInPlace(at.out, out_step, row, pairs);
    } else {
      TurnEach<kForm>(at.x, x_step, at.out, out_step, row, 0, pairs);
    }
  }
}

template <Form kForm, class T>
void RotateTokens(int64_t pairs, const cpu::Heads& x, const cpu::Heads& out, int64_t tokens,
                  int64_t heads, const cpu::Angles& angles) {
  const cpu::Heads from = x, to = out;
  const cpu::Angles by = angles;
  const bool moves = kForm == Form::pairs_to_halves && from.data == to.data;
  const bool dense = from.feature == 1 && to.feature == 1 && !moves;
  for (int64_t t = 0; t < tokens; ++t) {
    const HeadsAt<T> at{static_cast<const T*>(from.data) + t * from.token,
                        static_cast<T*>(to.data) + t * to.token, from.head, to.head};
    const auto* cosine = static_cast<const Compute<T>*>(by.token[t]);
    if (dense) {
      TurnDense<kForm>(at, cosine, by.sines, by.head, heads, pairs);
    } else {
      TurnOthers<kForm>(at, from.feature, to.feature, cosine, by.sines, by.head, heads, pairs);
    }
  }
}

template <class T>
auto RotateAs(Layout layout) {
  if constexpr (POSENC_HARDWARE_COMPLEX && std::is_same_v<T, float>)
    if (layout == Layout::interleaved && has_hardware_complex)
      return &RotateTokens<Form::complex, T>;
  switch (layout) {
    case Layout::half:
      return &RotateTokens<Form::halves, T>;
    case Layout::interleaved:
      return &RotateTokens<Form::pairs, T>;
    default:
      return &RotateTokens<Form::pairs_to_halves, T>;
  }
}

void Rotate(DType dtype, Layout layout, int64_t pairs, const cpu::Heads& x, const cpu::Heads& out,
            int64_t tokens, int64_t heads, const cpu::Angles& angles) {
  DispatchLanes(dtype,
                [&]<class T>() { RotateAs<T>(layout)(pairs, x, out, tokens, heads, angles); });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(Rotate);

void cpu::rotate(DType dtype, Layout layout, int64_t pairs, const Heads& x, const Heads& out,
                 int64_t tokens, int64_t heads, const Angles& angles) {
  HWY_DYNAMIC_DISPATCH(Rotate)(dtype, layout, pairs, x, out, tokens, heads, angles);
}

}  // namespace posenc
#endif  // HWY_ONCE
