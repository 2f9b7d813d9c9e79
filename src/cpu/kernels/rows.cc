// rows.cc: add, scale and accumulate rows, for every dtype and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "cpu/kernels/rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include <algorithm>

#include "base/dispatch.h"
#include "cpu/kernels/lanes-inl.h"
#include "cpu/kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// out[i] = value(d, i) for n elements: four vectors at a time, read before any is written; then
// one; then a lane at a time. On the way what lies `ahead` is fetched, line by line, which keeps
// memory busy where the hardware cannot foresee what comes, or not so far.
template <class C, int kLevel = 2, class T, class Ahead, class Value>
HWY_INLINE void StoreEach(T* out, int64_t n, const Ahead ahead, const Value& value) {
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    if constexpr (!std::is_null_pointer_v<Ahead>) Fetch<kLevel>(ahead + i, 4 * lanes);
    const auto v0 = value(d, i), v1 = value(d, i + lanes);
    const auto v2 = value(d, i + 2 * lanes), v3 = value(d, i + 3 * lanes);
    StoreLanes(v0, d, out + i), StoreLanes(v1, d, out + i + lanes);
    StoreLanes(v2, d, out + i + 2 * lanes), StoreLanes(v3, d, out + i + 3 * lanes);
  }
  for (; i + lanes <= n; i += lanes) StoreLanes(value(d, i), d, out + i);
  for (; i < n; ++i) StoreLanes(value(d1, i), d1, out + i);
}
constexpr int64_t rows_ahead = 2;

// The same row with gaps between its elements.
template <class T, class Body>
void ForElements(const T* x, int64_t x_step, T* out, int64_t out_step, int64_t n,
                 const Body& body) {
  for (int64_t i = 0; i < n; ++i) {
    T one = x[i * x_step];
    body(&one, i);
    out[i * out_step] = one;
  }
}

template <class T, class Ahead>
HWY_INLINE void AddRow(const T* x, const Ahead ahead, const Compute<T>* table, T* out, int64_t n) {
  StoreEach<Compute<T>, 1>(out, n, ahead, [=](auto d, int64_t i) HWY_ATTR {
    return hn::Add(LoadLanes(d, x + i), hn::LoadU(d, table + i));
  });
}

template <class T>
HWY_INLINE void ScaleAddRow(const T* x, const T* ahead, Compute<T> scale, const Compute<T>* table,
                            T* out, int64_t n) {
  StoreEach<Compute<T>>(out, n, ahead, [=](auto d, int64_t i) HWY_ATTR {
    return hn::MulAdd(LoadLanes(d, x + i), hn::Set(d, scale), hn::LoadU(d, table + i));
  });
}

template <class T>
HWY_INLINE void AccumulateRow(const T* x, Compute<T> scale, Compute<T>* sum,
                              const Compute<T>* ahead, int64_t n) {
  StoreEach<Compute<T>>(sum, n, ahead, [=](auto d, int64_t i) HWY_ATTR {
    return hn::MulAdd(LoadLanes(d, x + i), hn::Set(d, scale), hn::LoadU(d, sum + i));
  });
}

template <class T>
T* RowOf(const RowBlock& block, int64_t row) {
  return static_cast<T*>(block.data) + row * block.row;
}

void AddRows(DType dtype, RowBlock x, cpu::Rows table, RowBlock out, int64_t rows, int64_t columns,
             bool fetch_ahead) {
  DispatchLanes(dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = RowOf<T>(x, r);
      const auto* add = static_cast<const Compute<T>*>(table.data) + r * table.ld;
      T* to = RowOf<T>(out, r);
      if (x.column == 1 && out.column == 1) {
        if (fetch_ahead && worth_fetching<T>) {
          AddRow(from, from + fetch_bytes / sizeof(T), add, to, columns);
        } else {
          AddRow(from, nullptr, add, to, columns);
        }
      } else {
        ForElements(from, x.column, to, out.column, columns,
                    [&](T* one, int64_t i) { AddRow(one, nullptr, add + i, one, 1); });
      }
    }
  });
}

void ScaleAddRows(DType dtype, cpu::Scattered x, cpu::Rows table, RowBlock out, int64_t rows,
                  int64_t columns) {
  DispatchLanes(dtype, [&]<class T>() {
    const auto scale = static_cast<Compute<T>>(x.scale);
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = static_cast<const T*>(x.row[r]);
      const T* ahead = static_cast<const T*>(x.row[std::min(r + rows_ahead, rows - 1)]);
      const auto* add = static_cast<const Compute<T>*>(table.data) + r * table.ld;
      T* to = RowOf<T>(out, r);
      if (x.column == 1 && out.column == 1) {
        ScaleAddRow(from, ahead, scale, add, to, columns);
      } else {
        ForElements(from, x.column, to, out.column, columns,
                    [&](T* one, int64_t i) { ScaleAddRow(one, one, scale, add + i, one, 1); });
      }
    }
  });
}

void AccumulateRows(DType dtype, RowBlock x, cpu::Scattered sum, int64_t rows, int64_t columns) {
  DispatchLanes(dtype, [&]<class T>() {
    using C = Compute<T>;
    const auto scale = static_cast<C>(sum.scale);
    for (int64_t r = 0; r < rows; ++r) {
      const T* from = RowOf<T>(x, r);
      C* to = static_cast<C*>(sum.row[r]);
      const C* ahead = static_cast<const C*>(sum.row[std::min(r + rows_ahead, rows - 1)]);
      if (x.column == 1 && sum.column == 1) {
        AccumulateRow(from, scale, to, ahead, columns);
      } else {
        for (int64_t i = 0; i < columns; ++i)
          AccumulateRow(from + i * x.column, scale, to + i * sum.column, to, 1);
      }
    }
  });
}

// Weights may be of another type than the rows made from them.
template <class T, class U>
void ScaleRow(const T* x, int64_t step, double scale, U* out, int64_t n) {
  if constexpr (std::is_same_v<T, double> || std::is_same_v<U, double>) {
    for (int64_t i = 0; i < n; ++i)
      out[i] = rounded_to<U>(static_cast<Compute<U>>(as_double(x[i * step]) * scale));
  } else if (step != 1) {
    for (int64_t i = 0; i < n; ++i) ScaleRow(x + i * step, 1, scale, out + i, 1);
  } else {
    StoreEach<float>(out, n, nullptr, [=](auto d, int64_t i) HWY_ATTR {
      return hn::Mul(LoadLanes(d, x + i), hn::Set(d, static_cast<float>(scale)));
    });
  }
}

void Scale(DType from_type, RowBlock x, double scale, DType to_type, void* out, int64_t columns) {
  dispatch(from_type, [&]<class T>() {
    DispatchLanes(to_type, [&]<class U>() {
      ScaleRow(static_cast<const T*>(x.data), x.column, scale, static_cast<U*>(out), columns);
    });
  });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(AddRows);
HWY_EXPORT(ScaleAddRows);
HWY_EXPORT(AccumulateRows);
HWY_EXPORT(Scale);

void cpu::add_rows(DType dtype, RowBlock x, Rows table, RowBlock out, int64_t rows, int64_t columns,
                   bool fetch_ahead) {
  HWY_DYNAMIC_DISPATCH(AddRows)(dtype, x, table, out, rows, columns, fetch_ahead);
}

void cpu::scale_add_rows(DType dtype, Scattered x, Rows table, RowBlock out, int64_t rows,
                         int64_t columns) {
  HWY_DYNAMIC_DISPATCH(ScaleAddRows)(dtype, x, table, out, rows, columns);
}

void cpu::accumulate_rows(DType dtype, RowBlock x, Scattered sum, int64_t rows, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(AccumulateRows)(dtype, x, sum, rows, columns);
}

void cpu::scale_row(DType from, RowBlock x, double scale, DType to, void* out, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(Scale)(from, x, scale, to, out, columns);
}

void cpu::copy_rows(Rows table, RowBlock out, int64_t rows, int64_t columns) {
  dispatch(table.dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        static_cast<T*>(out.data)[r * out.row + c * out.column] =
            static_cast<const T*>(table.data)[r * table.ld + c];
  });
}

}  // namespace posenc
#endif  // HWY_ONCE
