// rows.cc: add, scale and accumulate rows, for every dtype and instruction set.
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/rows.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

#include "dispatch.h"
#include "kernels/lanes-inl.h"
#include "kernels/rows.h"

HWY_BEFORE_NAMESPACE();
namespace posenc::HWY_NAMESPACE {

// Calls body(d, i) for full vectors, two at a time, then one lane at a time.
template <class C, class Body>
HWY_INLINE void ForLanes(int64_t n, const Body& body) {
  const hn::ScalableTag<C> d;
  const hn::CappedTag<C, 1> d1;
  const auto lanes = static_cast<int64_t>(hn::Lanes(d));
  int64_t i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    body(d, i);
    body(d, i + lanes);
  }
  for (; i + lanes <= n; i += lanes) body(d, i);
  for (; i < n; ++i) body(d1, i);
}

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

template <class T>
HWY_INLINE void AddRow(const T* x, const Compute<T>* table, T* out, int64_t n) {
  ForLanes<Compute<T>>(n, [&](auto d, int64_t i) HWY_ATTR {
    StoreLanes(hn::Add(LoadLanes(d, x + i), hn::LoadU(d, table + i)), d, out + i);
  });
}

template <class T>
HWY_INLINE void ScaleAddRow(const T* x, Compute<T> scale, const Compute<T>* table, T* out,
                            int64_t n) {
  ForLanes<Compute<T>>(n, [&](auto d, int64_t i) HWY_ATTR {
    const auto product =
        hn::MulAdd(LoadLanes(d, x + i), hn::Set(d, scale), hn::LoadU(d, table + i));
    StoreLanes(product, d, out + i);
  });
}

template <class T>
HWY_INLINE void AccumulateRow(const T* x, Compute<T> scale, Compute<T>* sum, int64_t n) {
  ForLanes<Compute<T>>(n, [&](auto d, int64_t i) HWY_ATTR {
    const auto total = hn::MulAdd(LoadLanes(d, x + i), hn::Set(d, scale), hn::LoadU(d, sum + i));
    hn::StoreU(total, d, sum + i);
  });
}

void AddRows(DType dtype, cpu::Block x, const void* table, int64_t ld, cpu::Block out, int64_t rows,
             int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r) {
      const auto* from = static_cast<const T*>(x.data) + r * x.row;
      const auto* add = static_cast<const Compute<T>*>(table) + r * ld;
      auto* to = static_cast<T*>(out.data) + r * out.row;
      if (x.column == 1 && out.column == 1) {
        AddRow(from, add, to, columns);
      } else {
        ForElements(from, x.column, to, out.column, columns,
                    [&](T* one, int64_t i) { AddRow(one, add + i, one, 1); });
      }
    }
  });
}

void ScaleAdd(DType dtype, cpu::Block x, double scale, const void* table, cpu::Block out,
              int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    const auto* from = static_cast<const T*>(x.data);
    const auto* add = static_cast<const Compute<T>*>(table);
    auto* to = static_cast<T*>(out.data);
    const auto s = static_cast<Compute<T>>(scale);
    if (x.column == 1 && out.column == 1) {
      ScaleAddRow(from, s, add, to, columns);
    } else {
      ForElements(from, x.column, to, out.column, columns,
                  [&](T* one, int64_t i) { ScaleAddRow(one, s, add + i, one, 1); });
    }
  });
}

void Accumulate(DType dtype, cpu::Block x, double scale, cpu::Block sum, int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    const auto* from = static_cast<const T*>(x.data);
    auto* to = static_cast<Compute<T>*>(sum.data);
    const auto s = static_cast<Compute<T>>(scale);
    if (x.column == 1 && sum.column == 1) {
      AccumulateRow(from, s, to, columns);
    } else {
      for (int64_t i = 0; i < columns; ++i)
        AccumulateRow(from + i * x.column, s, to + i * sum.column, 1);
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
    ForLanes<float>(n, [&](auto d, int64_t i) HWY_ATTR {
      StoreLanes(hn::Mul(LoadLanes(d, x + i), hn::Set(d, static_cast<float>(scale))), d, out + i);
    });
  }
}

void Scale(DType from_type, cpu::Block x, double scale, DType to_type, void* out, int64_t columns) {
  dispatch(from_type, [&]<class T>() {
    dispatch(to_type, [&]<class U>() {
      ScaleRow(static_cast<const T*>(x.data), x.column, scale, static_cast<U*>(out), columns);
    });
  });
}

}  // namespace posenc::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace posenc {
HWY_EXPORT(AddRows);
HWY_EXPORT(ScaleAdd);
HWY_EXPORT(Accumulate);
HWY_EXPORT(Scale);

void cpu::add_rows(DType dtype, Block x, const void* table, int64_t ld, Block out, int64_t rows,
                   int64_t columns) {
  HWY_DYNAMIC_DISPATCH(AddRows)(dtype, x, table, ld, out, rows, columns);
}

void cpu::scale_add_row(DType dtype, Block x, double scale, const void* table, Block out,
                        int64_t columns) {
  HWY_DYNAMIC_DISPATCH(ScaleAdd)(dtype, x, scale, table, out, columns);
}

void cpu::scale_row(DType from, Block x, double scale, DType to, void* out, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(Scale)(from, x, scale, to, out, columns);
}

void cpu::copy_rows(DType dtype, const void* table, int64_t ld, Block out, int64_t rows,
                    int64_t columns) {
  dispatch(dtype, [&]<class T>() {
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < columns; ++c)
        static_cast<T*>(out.data)[r * out.row + c * out.column] =
            static_cast<const T*>(table)[r * ld + c];
  });
}

void cpu::accumulate_row(DType dtype, Block x, double scale, Block sum, int64_t columns) {
  HWY_DYNAMIC_DISPATCH(Accumulate)(dtype, x, scale, sum, columns);
}

}  // namespace posenc
#endif  // HWY_ONCE
