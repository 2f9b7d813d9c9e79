// waves.cc: table rows from waves, for every dtype and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/waves.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

#include "dispatch.h"
#include "kernels/lanes-inl.h"
#include "kernels/waves.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

using D64 = hn::ScalableTag<double>;
using V64 = hn::Vec<D64>;

// sin(2 pi phase): fold the turn to [-1/4, 1/4], then an odd polynomial (truncation 4e-17).
HWY_INLINE V64 SinTurn(D64 d, hn::Vec<hn::RebindToUnsigned<D64>> phase) {
  const hn::RebindToUnsigned<D64> du;
  const hn::RebindToSigned<D64> di;
  const auto far = hn::Lt(hn::BitCast(di, hn::Add(phase, hn::Set(du, quarter_turn))),
                          hn::Zero(di));  // more than a quarter away from 0
  const auto folded = hn::IfThenElse(far, hn::BitCast(di, hn::Sub(hn::Set(du, 1ull << 63), phase)),
                                     hn::BitCast(di, phase));
  const auto x = hn::Mul(hn::ConvertTo(d, folded), hn::Set(d, 6.283185307179586477 * 0x1p-64));
  const auto z = hn::Mul(x, x);
  constexpr double c[] = {2.7314368769379893e-15, -7.643969663988074e-13, 1.6058977292642743e-10,
                          -2.505210761669045e-08, 2.7557319219160833e-06, -0.00019841269841254966,
                          0.008333333333333316,   -0.16666666666666666};
  auto p = hn::Set(d, c[0]);
  for (int i = 1; i < 8; ++i) p = hn::MulAdd(p, z, hn::Set(d, c[i]));
  return hn::MulAdd(hn::Mul(x, z), p, x);
}

// ------------------------------------------------------------------ rows anywhere

// Stores n lanes of f64 as T; f16 and bf16 are rounded from f32.
template <class T>
HWY_INLINE void StoreAs(const double* from, T* to, size_t n) {
  if constexpr (std::is_same_v<T, double>) {
    std::copy(from, from + n, to);
  } else {
    for (size_t i = 0; i < n; ++i) to[i] = rounded_to<T>(static_cast<float>(from[i]));
  }
}

// The phases of one row.
HWY_INLINE void PhasesAt(const cpu::Waves& w, size_t column, size_t n, const cpu::Coordinates& at,
                         int64_t row, Turn* out) {
  for (size_t i = 0; i < n; ++i) out[i] = w.phase[column + i];
  for (int64_t a = 0; a < w.axes; ++a) {
    const int64_t whole = at.whole[a][row];
    const uint64_t part = at.part[a][row];
    const size_t first = static_cast<size_t>(a * w.padded) + column;
    const uint64_t *hi = &w.hi[first], *lo = &w.lo[first], *turns = &w.turns[first];
    const auto p = static_cast<uint64_t>(whole);
    const uint64_t negative = whole < 0 ? ~uint64_t{0} : 0;
    for (size_t i = 0; i < n; ++i)
      out[i] += hi[i] * p + high_product(lo[i], p) - (lo[i] & negative);
    if (part != 0)
      for (size_t i = 0; i < n; ++i) out[i] += part * turns[i] + high_product(part, hi[i]);
  }
}

// The same with position x frequency rounded to f32, as PyTorch code has it.
void PhasesOfF32Product(const cpu::Waves& w, size_t column, size_t n, const cpu::Coordinates& at,
                        int64_t row, const Frequency& radian, Turn* out) {
  const auto position = static_cast<float>(at.value[0][row]);
  for (size_t i = 0; i < n; ++i) {
    const volatile float angle = position * w.radians32[column + i];
    const auto [whole, part] = split(angle);
    out[i] = w.phase[column + i] + phase(radian, whole, part);
  }
}

template <class T>
void FillRowsAt(const cpu::Waves& w, size_t column, size_t columns, const cpu::Coordinates& at,
                T* out, int64_t ld) {
  const D64 d;
  const hn::RebindToUnsigned<D64> du;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN Turn phases[cpu::column_padding];
  HWY_ALIGN double values[cpu::column_padding];
  const Frequency radian = w.f32_product ? frequency(1) : Frequency{};
  for (int64_t r = 0; r < at.rows; ++r)
    for (size_t c = 0; c < columns; c += cpu::column_padding) {
      const size_t n = std::min<size_t>(columns - c, cpu::column_padding);
      const size_t padded = (n + lanes - 1) / lanes * lanes;
      if (w.f32_product) {
        PhasesOfF32Product(w, column + c, padded, at, r, radian, phases);
      } else {
        PhasesAt(w, column + c, padded, at, r, phases);
      }
      for (size_t i = 0; i < padded; i += lanes)
        hn::Store(hn::Mul(SinTurn(d, hn::Load(du, phases + i)),
                          hn::LoadU(d, &w.amplitude[column + c + i])),
                  d, values + i);
      StoreAs(values, out + r * ld + c, n);
    }
}

// ------------------------------------------------------------------ runs of rows

void StartRun(const cpu::Waves& w, size_t column, size_t columns, int64_t position,
              cpu::RunState& state) {
  const D64 d;
  const hn::RebindToUnsigned<D64> du;
  const size_t lanes = hn::Lanes(d);
  cpu::Coordinates at;
  at.rows = 1, at.whole[0][0] = position, at.part[0][0] = w.shift_part;
  HWY_ALIGN Turn phases[cpu::column_padding];
  for (size_t c = 0; c < columns; c += cpu::column_padding) {
    PhasesAt(w, column + c, cpu::column_padding, at, 0, phases);
    for (size_t i = 0; i < cpu::column_padding; i += lanes) {
      const auto p = hn::Load(du, phases + i);
      const auto amplitude = hn::LoadU(d, &w.amplitude[column + c + i]);
      hn::StoreU(hn::Mul(SinTurn(d, p), amplitude), d, state.s + c + i);
      hn::StoreU(hn::Mul(SinTurn(d, hn::Add(p, hn::Set(du, quarter_turn))), amplitude), d,
                 state.c + c + i);
    }
  }
}

// Vectors of a strip that stay in registers: with two states and a factor each, as many as fit.
inline constexpr size_t kVectors = HWY_TARGET == HWY_NEON ? 8 : 4;

// Writes one row of a strip; `sign` is that of the recurrence's state.
template <bool kNegate, class T>
HWY_INLINE void EmitRow(const V64 (&v)[kVectors], T* out) {
  const D64 d;
  for (size_t i = 0; i < kVectors; i += 2)
    StoreNarrow<kNegate>(d, v[i], v[i + 1], out + i * hn::Lanes(d));
}

// One strip down a block: s(n+1) = 2 cos(w) s(n) - s(n-1). Signs alternate in pairs so that each
// step is one fused multiply-add without moves: a, b, -a, -b.
template <class T>
HWY_INLINE void FillStrip(const cpu::Waves& w, size_t column, size_t at, cpu::RunState& state,
                          size_t rows, T* out, int64_t ld) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  V64 a[kVectors], b[kVectors], m[kVectors];
  for (size_t i = 0; i < kVectors; ++i) {
    const size_t k = at + i * lanes, col = column + k;
    const auto s = hn::LoadU(d, state.s + k), c = hn::LoadU(d, state.c + k);
    const auto cos1 = hn::LoadU(d, &w.cos_step[col]), sin1 = hn::LoadU(d, &w.sin_step[col]);
    const auto cosb = hn::LoadU(d, &w.cos_block[col]), sinb = hn::LoadU(d, &w.sin_block[col]);
    a[i] = s;
    b[i] = hn::MulAdd(s, cos1, hn::Mul(c, sin1));
    m[i] = hn::Add(cos1, cos1);
    hn::StoreU(hn::MulAdd(s, cosb, hn::Mul(c, sinb)), d, state.s + k);
    hn::StoreU(hn::NegMulAdd(s, sinb, hn::Mul(c, cosb)), d, state.c + k);
  }
  const auto step_a = [&]() HWY_ATTR {
    for (size_t i = 0; i < kVectors; ++i) a[i] = Settled(hn::NegMulAdd(m[i], b[i], a[i]));
  };
  const auto step_b = [&]() HWY_ATTR {
    for (size_t i = 0; i < kVectors; ++i) b[i] = Settled(hn::MulAdd(m[i], a[i], b[i]));
  };
  size_t r = 0;
  for (; r + 4 <= rows; r += 4, out += 4 * ld) {
    for (size_t i = 0; i < kVectors; ++i) m[i] = Settled(m[i]);
    EmitRow<false>(a, out);
    step_a();
    EmitRow<false>(b, out + ld);
    step_b();
    EmitRow<true>(a, out + 2 * ld);
    step_a();
    EmitRow<true>(b, out + 3 * ld);
    step_b();
  }
  if (r < rows) EmitRow<false>(a, out);
  if (r + 1 < rows) EmitRow<false>(b, out + ld);
  if (r + 2 < rows) {
    step_a();
    EmitRow<true>(a, out + 2 * ld);
  }
}

template <class T>
void FillRunRows(const cpu::Waves& w, size_t column, size_t columns, cpu::RunState& state,
                 size_t rows, T* out, int64_t ld) {
  const D64 d;
  const size_t strip = kVectors * hn::Lanes(d);
  size_t c = 0;
  for (; c + strip <= columns; c += strip) FillStrip(w, column, c, state, rows, out + c, ld);
  if (c == columns) return;
  HWY_ALIGN T edge[cpu::block_rows * cpu::column_padding];
  FillStrip(w, column, c, state, rows, edge, static_cast<int64_t>(strip));
  for (size_t r = 0; r < rows; ++r)
    std::copy_n(edge + r * strip, columns - c, out + static_cast<int64_t>(r) * ld + c);
}

// ------------------------------------------------------------------ by dtype

void Sines(const Turn* phase, double* out, size_t n) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN Turn in[HWY_MAX_BYTES / 8] = {};
  HWY_ALIGN double sine[HWY_MAX_BYTES / 8];
  for (size_t i = 0; i < n; i += lanes) {
    const size_t count = std::min(lanes, n - i);
    std::copy_n(phase + i, count, in);
    hn::Store(SinTurn(d, hn::Load(hn::RebindToUnsigned<D64>(), in)), d, sine);
    std::copy_n(sine, count, out + i);
  }
}

void RowsAt(const cpu::Waves& w, int64_t column, int64_t columns, const cpu::Coordinates& at,
            cpu::Rows out) {
  dispatch(out.dtype, [&]<class T>() {
    FillRowsAt(w, static_cast<size_t>(column), static_cast<size_t>(columns), at,
               static_cast<T*>(out.data), out.ld);
  });
}

void RunRows(const cpu::Waves& w, int64_t column, int64_t columns, cpu::RunState& state,
             int64_t rows, cpu::Rows out) {
  dispatch(out.dtype, [&]<class T>() {
    if constexpr (!std::is_same_v<T, double>)  // f64 rows are evaluated directly
      FillRunRows(w, static_cast<size_t>(column), static_cast<size_t>(columns), state,
                  static_cast<size_t>(rows), static_cast<T*>(out.data), out.ld);
  });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(Sines);
HWY_EXPORT(RowsAt);
HWY_EXPORT(StartRun);
HWY_EXPORT(RunRows);

namespace cpu {
namespace {

double line_at(const Wave& wave, const Coordinates& at, int64_t row) {
  double sum = wave.intercept;
  for (size_t a = 0; a < wave.slope.size(); ++a)
    if (wave.slope[a] != 0) sum = std::fma(wave.slope[a], at.value[a][row], sum);
  return sum;
}

}  // namespace

void sines(const Turn* phase, double* out, size_t n) { HWY_DYNAMIC_DISPATCH(Sines)(phase, out, n); }

void fill_rows_at(const Waves& w, int64_t column, int64_t columns, const Coordinates& at,
                  Rows out) {
  HWY_DYNAMIC_DISPATCH(RowsAt)(w, column, columns, at, out);
  for (int64_t c : w.lines) {
    if (c < column || c >= column + columns) continue;
    dispatch(out.dtype, [&]<class T>() {
      for (int64_t r = 0; r < at.rows; ++r)
        static_cast<T*>(out.data)[r * out.ld + c - column] = rounded_to<T>(
            static_cast<Compute<T>>(line_at(w.columns[static_cast<size_t>(c)], at, r)));
    });
  }
}

void start_run(const Waves& w, int64_t column, int64_t columns, int64_t position, RunState& state) {
  HWY_DYNAMIC_DISPATCH(StartRun)
  (w, static_cast<size_t>(column), static_cast<size_t>(columns), position, state);
}

void fill_run_rows(const Waves& w, int64_t column, int64_t columns, RunState& state, int64_t rows,
                   Rows out) {
  HWY_DYNAMIC_DISPATCH(RunRows)(w, column, columns, state, rows, out);
}

}  // namespace cpu
}  // namespace posenc
#endif  // HWY_ONCE
