// waves.cc: table rows from waves, each from its exact phase, for every dtype
// and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/waves.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>
#include <cmath>

#include "base/dispatch.h"
#include "base/scratch.h"
#include "cpu/kernels/lanes-inl.h"
#include "cpu/kernels/sine-inl.h"
#include "frequencies/sines.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// The phases of one row with position x frequency rounded to f32, as PyTorch
// code has it.
void PhasesOfF32Product(const Waves& w, size_t column, size_t n, const cpu::Coordinates& at,
                        int64_t row, const Frequency& radian, Turn* out) {
  std::copy_n(&w.phase[column], n, out);
  for (int64_t a = 0; a < w.axes; ++a) {
    const auto position = static_cast<float>(at.value[a][row]);
    const float* radians = &w.radians32[static_cast<size_t>(a * w.padded) + column];
    for (size_t i = 0; i < n; ++i) {
      const volatile float angle = position * radians[i];
      out[i] += phase(radian, split(angle));
    }
  }
}

// The values at phases that are padded to kTogether vectors; at least n of them
// are stored.
template <class T>
HWY_INLINE void StoreWaves(const Turn* phases, const double* amplitude, size_t n, T* out) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  V64 v[kTogether];
  for (size_t i = 0; i < n; i += kTogether * lanes) {
    SinTurns(phases + i, 0, v);
    for (size_t k = 0; k < kTogether; ++k)
      v[k] = hn::Mul(v[k], hn::LoadU(d, amplitude + i + k * lanes));
    for (size_t k = 0; k < kTogether; k += 2) {
      if constexpr (std::is_same_v<T, double>) {
        hn::StoreU(v[k], d, out + i + k * lanes);
        hn::StoreU(v[k + 1], d, out + i + (k + 1) * lanes);
      } else {
        StoreNarrowed<false>(Narrow(v[k], v[k + 1]), out + i + k * lanes);
      }
    }
  }
}

template <class T>
void FillRowsAt(const Waves& w, size_t column, size_t columns, const cpu::Coordinates& at, T* out,
                int64_t ld) {
  HWY_ALIGN Turn phases[column_padding];
  HWY_ALIGN T edge[column_padding];
  const Frequency radian = w.f32_product ? frequency(1) : Frequency{};
  const size_t together = kTogether * hn::Lanes(D64());
  for (int64_t r = 0; r < at.rows; ++r)
    for (size_t c = 0; c < columns; c += column_padding) {
      const size_t n = std::min<size_t>(columns - c, column_padding);
      const size_t padded = (n + together - 1) / together * together;
      if (w.f32_product) {
        PhasesOfF32Product(w, column + c, padded, at, r, radian, phases);
      } else {
        PhasesAt(w, column + c, padded, at, r, phases);
      }
      T* to = out + r * ld + c;
      const bool whole = n == column_padding;
      StoreWaves(phases, &w.amplitude[column + c], n, whole ? to : edge);
      if (!whole) std::copy_n(edge, n, to);
    }
}

void Sines(const Turn* phase, double* out, size_t n) {
  const D64 d;
  const size_t lanes = hn::Lanes(d);
  HWY_ALIGN Turn in[column_padding] = {};
  HWY_ALIGN double sine[column_padding];
  for (size_t i = 0; i < n; i += kTogether * lanes) {
    const size_t count = std::min(kTogether * lanes, n - i);
    std::copy_n(phase + i, count, in);
    V64 v[kTogether];
    SinTurns(in, 0, v);
    for (size_t k = 0; k < kTogether; ++k) hn::Store(v[k], d, sine + k * lanes);
    std::copy_n(sine, count, out + i);
  }
}

void RowsAt(const Waves& w, int64_t column, int64_t columns, const cpu::Coordinates& at,
            cpu::Rows out) {
  DispatchLanes(out.dtype, [&]<class T>() {
    FillRowsAt(w, static_cast<size_t>(column), static_cast<size_t>(columns), at,
               static_cast<T*>(out.data), out.ld);
  });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(Sines);
HWY_EXPORT(RowsAt);

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

namespace {

// The same rows in f64, raised, then rounded once.
void fill_raised_rows(const Waves& w, int64_t column, int64_t columns, const Coordinates& at,
                      Rows out) {
  Scratch<double> rows(at.rows * columns);
  HWY_DYNAMIC_DISPATCH(RowsAt)(w, column, columns, at, {rows.data(), DType::f64, columns});
  dispatch(out.dtype, [&]<class T>() {
    for (int64_t n = 0; n < rows.size(); ++n)
      static_cast<T*>(out.data)[n / columns * out.ld + n % columns] =
          rounded_once<T>(rows[n] + w.raise);
  });
}

}  // namespace

void fill_rows_at(const Waves& w, int64_t column, int64_t columns, const Coordinates& at,
                  Rows out) {
  if (w.raise != 0) return fill_raised_rows(w, column, columns, at, out);
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

}  // namespace cpu
}  // namespace posenc
#endif  // HWY_ONCE
