// products.cc: tiles of a product kept in registers, for every instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/products.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "cpu/kernels/products.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using cpu::Matrix;

// A tile is tall x wide registers; x86 before AVX-512 has 16 of them.
constexpr int tall = 4;
constexpr int wide = HWY_ARCH_X86 && HWY_TARGET > HWY_AVX3 ? 2 : 4;

// One tile of dot products: vectors along the inner axis, then what is left of it.
template <int kRows, int kColumns, class C>
HWY_INLINE void DotTile(int64_t inner, Matrix<const C> a, Matrix<const C> b, Matrix<C> c) {
  const hn::ScalableTag<C> d;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<decltype(d)> sum[kRows][kColumns];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j) sum[i][j] = hn::Zero(d);
  int64_t t = 0;
  for (; t + lanes <= inner; t += lanes) {
    hn::Vec<decltype(d)> right[kColumns];
    for (int j = 0; j < kColumns; ++j) right[j] = hn::LoadU(d, b.data + j * b.row + t);
    for (int i = 0; i < kRows; ++i) {
      const auto left = hn::LoadU(d, a.data + i * a.row + t);
      for (int j = 0; j < kColumns; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kColumns; ++j)
      c.data[i * c.row + j] = hn::GetLane(hn::SumOfLanes(d, sum[i][j]));
  const hn::CappedTag<C, 1> one;  // fused by name, or compilers fuse some tiles and not others
  for (; t < inner; ++t)
    for (int i = 0; i < kRows; ++i)
      for (int j = 0; j < kColumns; ++j) {
        C* to = c.data + i * c.row + j;
        const auto left = hn::LoadU(one, a.data + i * a.row + t);
        const auto right = hn::LoadU(one, b.data + j * b.row + t);
        hn::StoreU(hn::MulAdd(left, right, hn::LoadU(one, to)), one, to);
      }
}

// Rows of a that stay in the cache while the rows of b pass by.
constexpr int64_t panel = 64;

template <int kColumns, class C>
void DotColumns(int64_t rows, int64_t inner, Matrix<const C> a, Matrix<const C> b, Matrix<C> c) {
  int64_t i = 0;
  for (; i + tall <= rows; i += tall, a.data += tall * a.row, c.data += tall * c.row)
    DotTile<tall, kColumns>(inner, a, b, c);
  for (; i < rows; ++i, a.data += a.row, c.data += c.row) DotTile<1, kColumns>(inner, a, b, c);
}

template <class C>
HWY_INLINE void DotRows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a,
                        Matrix<const C> b, Matrix<C> c) {
  for (int64_t i = 0; i < rows; i += panel, a.data += panel * a.row, c.data += panel * c.row) {
    const int64_t count = HWY_MIN(panel, rows - i);
    int64_t j = 0;
    for (; j + wide <= columns; j += wide)
      DotColumns<wide>(count, inner, a, {b.data + j * b.row, b.row}, {c.data + j, c.row});
    for (; j < columns; ++j)
      DotColumns<1>(count, inner, a, {b.data + j * b.row, b.row}, {c.data + j, c.row});
  }
}

// One tile of mixed rows: kVectors vectors of columns.
template <int kRows, int kVectors, class D, class C>
HWY_INLINE void MixTile(D d, int64_t inner, Matrix<const C> a, Matrix<const C> b, Matrix<C> c) {
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  hn::Vec<D> sum[kRows][kVectors];
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::LoadU(d, c.data + i * c.row + j * lanes);
  for (int64_t t = 0; t < inner; ++t) {
    hn::Vec<D> right[kVectors];
    for (int j = 0; j < kVectors; ++j) right[j] = hn::LoadU(d, b.data + t * b.row + j * lanes);
    for (int i = 0; i < kRows; ++i) {
      const auto left = hn::Set(d, a.data[i * a.row + t * a.column]);
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(left, right[j], sum[i][j]);
    }
  }
  for (int i = 0; i < kRows; ++i)
    for (int j = 0; j < kVectors; ++j) hn::StoreU(sum[i][j], d, c.data + i * c.row + j * lanes);
}

template <int kVectors, class D, class C>
void MixColumns(D d, int64_t rows, int64_t inner, Matrix<const C> a, Matrix<const C> b,
                Matrix<C> c) {
  int64_t i = 0;
  for (; i + tall <= rows; i += tall, a.data += tall * a.row, c.data += tall * c.row)
    MixTile<tall, kVectors>(d, inner, a, b, c);
  for (; i < rows; ++i, a.data += a.row, c.data += c.row) MixTile<1, kVectors>(d, inner, a, b, c);
}

// Rows of b that are mixed in before the next ones; sums wait in c.
constexpr int64_t depth = 256;

template <class C>
HWY_INLINE void MixRows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a,
                        Matrix<const C> b, Matrix<C> c) {
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  for (int64_t t = 0; t < inner; t += depth, a.data += depth * a.column, b.data += depth * b.row) {
    const int64_t count = HWY_MIN(depth, inner - t);
    int64_t j = 0;
    for (; j + wide * lanes <= columns; j += wide * lanes)
      MixColumns<wide>(d, rows, count, a, {b.data + j, b.row}, {c.data + j, c.row});
    for (; j + lanes <= columns; j += lanes)
      MixColumns<1>(d, rows, count, a, {b.data + j, b.row}, {c.data + j, c.row});
    for (; j < columns; ++j)
      MixColumns<1>(d1, rows, count, a, {b.data + j, b.row}, {c.data + j, c.row});
  }
}

void DotRows32(int64_t rows, int64_t columns, int64_t inner, Matrix<const float> a,
               Matrix<const float> b, Matrix<float> c) {
  DotRows(rows, columns, inner, a, b, c);
}
void DotRows64(int64_t rows, int64_t columns, int64_t inner, Matrix<const double> a,
               Matrix<const double> b, Matrix<double> c) {
  DotRows(rows, columns, inner, a, b, c);
}
void MixRows32(int64_t rows, int64_t columns, int64_t inner, Matrix<const float> a,
               Matrix<const float> b, Matrix<float> c) {
  MixRows(rows, columns, inner, a, b, c);
}
void MixRows64(int64_t rows, int64_t columns, int64_t inner, Matrix<const double> a,
               Matrix<const double> b, Matrix<double> c) {
  MixRows(rows, columns, inner, a, b, c);
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(DotRows32);
HWY_EXPORT(DotRows64);
HWY_EXPORT(MixRows32);
HWY_EXPORT(MixRows64);

namespace cpu {

template <class C>
void dot_rows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a, Matrix<const C> b,
              Matrix<C> c) {
  if constexpr (std::is_same_v<C, float>)
    HWY_DYNAMIC_DISPATCH(DotRows32)(rows, columns, inner, a, b, c);
  else
    HWY_DYNAMIC_DISPATCH(DotRows64)(rows, columns, inner, a, b, c);
}
template <class C>
void mix_rows(int64_t rows, int64_t columns, int64_t inner, Matrix<const C> a, Matrix<const C> b,
              Matrix<C> c) {
  if constexpr (std::is_same_v<C, float>)
    HWY_DYNAMIC_DISPATCH(MixRows32)(rows, columns, inner, a, b, c);
  else
    HWY_DYNAMIC_DISPATCH(MixRows64)(rows, columns, inner, a, b, c);
}

template void dot_rows<float>(int64_t, int64_t, int64_t, Matrix<const float>, Matrix<const float>,
                              Matrix<float>);
template void dot_rows<double>(int64_t, int64_t, int64_t, Matrix<const double>,
                               Matrix<const double>, Matrix<double>);
template void mix_rows<float>(int64_t, int64_t, int64_t, Matrix<const float>, Matrix<const float>,
                              Matrix<float>);
template void mix_rows<double>(int64_t, int64_t, int64_t, Matrix<const double>,
                               Matrix<const double>, Matrix<double>);

}  // namespace cpu
}  // namespace posenc
#endif  // HWY_ONCE
