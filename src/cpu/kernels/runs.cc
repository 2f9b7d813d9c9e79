// runs.cc: rows at consecutive positions, by recurrence, for every dtype and
// instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/runs.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "base/dispatch.h"
#include "cpu/kernels/lanes-inl.h"
#include "cpu/kernels/sine-inl.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// Rows begin where the phases are exact.
void StartRun(const Waves& w, size_t column, size_t columns, const int64_t* position,
              cpu::RunState& state) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  cpu::Coordinates at;
  at.rows = 1;
  for (int64_t a = 0; a < w.axes; ++a)
    at.whole[a][0] = position[a], at.part[a][0] = w.shift_part, at.rest[a][0] = 0;
  HWY_ALIGN Turn phases[column_padding];
  V64 s[kTogether], c[kTogether];
  for (size_t first = 0; first < columns; first += column_padding) {
    PhasesAt(w, column + first, column_padding, at, 0, phases);
    for (size_t i = 0; i < column_padding; i += kTogether * lanes) {
      SinTurns(phases + i, 0, s);
      SinTurns(phases + i, quarter_turn, c);
      for (size_t k = 0; k < kTogether; ++k) {
        const size_t col = first + i + k * lanes;
        const auto amplitude = hn::LoadU(d, &w.amplitude[column + col]);
        hn::StoreU(hn::Mul(s[k], amplitude), d, state.s + col);
        hn::StoreU(hn::Mul(c[k], amplitude), d, state.c + col);
      }
    }
  }
}

// Vectors of a strip that stay in registers: with two states and a factor each, as many as fit.
inline constexpr size_t kVectors = HWY_TARGET == HWY_NEON ? 8 : 4;

// Stores one row of a strip and moves it on by two rows. Conversions and products take turns, since
// they share execution units, and what is stored side by side is stored together.
template <bool kNegate, class T, class Next>
HWY_INLINE void StoreAndStep(V64 (&v)[kVectors], T* out, const Next& next) {
  Narrowed f[kVectors / 2];
  for (size_t i = 0; i < kVectors; i += 2) {
    f[i / 2] = Narrow(v[i], v[i + 1]);
    v[i] = Settled(next(i));
    v[i + 1] = Settled(next(i + 1));
  }
  for (size_t i = 0; i < kVectors; i += 2)
    StoreNarrowed<kNegate>(f[i / 2], out + i * hn::Lanes(D64()));
}

// One strip down a block: s(n+1) = 2 cos(w) s(n) - s(n-1). Signs alternate in pairs so that each
// step is one fused multiply-add without moves: a, b, -a, -b.
template <class T>
HWY_INLINE void FillStrip(const Waves& w, size_t column, size_t at, cpu::RunState& state,
                          size_t rows, T* out, int64_t ld) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  const double *cos_step = &w.cos_step[column + at], *sin_step = &w.sin_step[column + at];
  const double *cos_block = &w.cos_block[column + at], *sin_block = &w.sin_block[column + at];
  V64 a[kVectors], b[kVectors], m[kVectors];
  for (size_t i = 0; i < kVectors; ++i) {
    const size_t k = at + i * lanes;
    const auto s = hn::LoadU(d, state.s + k), c = hn::LoadU(d, state.c + k);
    const auto cos1 = hn::LoadU(d, cos_step + i * lanes), sin1 = hn::LoadU(d, sin_step + i * lanes);
    const auto cosb = hn::LoadU(d, cos_block + i * lanes);
    const auto sinb = hn::LoadU(d, sin_block + i * lanes);
    a[i] = s;
    b[i] = hn::MulAdd(s, cos1, hn::Mul(c, sin1));
    m[i] = hn::Add(cos1, cos1);
    hn::StoreU(hn::MulAdd(s, cosb, hn::Mul(c, sinb)), d, state.s + k);
    hn::StoreU(hn::NegMulAdd(s, sinb, hn::Mul(c, cosb)), d, state.c + k);
  }
  const auto next_a = [&](size_t i) HWY_ATTR {
    m[i] = Settled(m[i]);  // else the compiler keeps -m as well
    return hn::NegMulAdd(m[i], b[i], a[i]);
  };
  const auto next_b = [&](size_t i) HWY_ATTR { return hn::MulAdd(m[i], a[i], b[i]); };
  size_t r = 0;
  for (; r + 4 <= rows; r += 4, out += 4 * ld) {
    StoreAndStep<false>(a, out, next_a);
    StoreAndStep<false>(b, out + ld, next_b);
    StoreAndStep<true>(a, out + 2 * ld, next_a);
    StoreAndStep<true>(b, out + 3 * ld, next_b);
  }
  if (r < rows) StoreAndStep<false>(a, out, next_a);
  if (r + 1 < rows) StoreAndStep<false>(b, out + ld, next_b);
  if (r + 2 < rows) StoreAndStep<true>(a, out + 2 * ld, next_a);
}

template <class T>
void FillRunRows(const Waves& w, size_t column, size_t columns, cpu::RunState& state, size_t rows,
                 T* out, int64_t ld) {
  const D64 d;
  const size_t strip = kVectors * hn::Lanes(d);
  size_t c = 0;
  for (; c + strip <= columns; c += strip) FillStrip(w, column, c, state, rows, out + c, ld);
  if (c == columns) return;
  HWY_ALIGN T edge[block_rows * column_padding];
  FillStrip(w, column, c, state, rows, edge, static_cast<int64_t>(strip));
  for (size_t r = 0; r < rows; ++r)
    std::copy_n(edge + r * strip, columns - c, out + static_cast<int64_t>(r) * ld + c);
}

void RunRows(const Waves& w, int64_t column, int64_t columns, cpu::RunState& state, int64_t rows,
             cpu::Rows out) {
  DispatchLanes(out.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, double>)  // f64 rows are evaluated directly
      FillRunRows(w, static_cast<size_t>(column), static_cast<size_t>(columns), state,
                  static_cast<size_t>(rows), static_cast<T*>(out.data), out.ld);
  });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(StartRun);
HWY_EXPORT(RunRows);

namespace cpu {

void start_run(const Waves& w, int64_t column, int64_t columns, const int64_t* first,
               RunState& state) {
  HWY_DYNAMIC_DISPATCH(StartRun)
  (w, static_cast<size_t>(column), static_cast<size_t>(columns), first, state);
}

void fill_run_rows(const Waves& w, int64_t column, int64_t columns, RunState& state, int64_t rows,
                   Rows out) {
  HWY_DYNAMIC_DISPATCH(RunRows)(w, column, columns, state, rows, out);
}

}  // namespace cpu
}  // namespace posenc
#endif  // HWY_ONCE
