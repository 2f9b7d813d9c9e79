// dispatch.h: the one place where a run-time element type becomes a C++ type.
#pragma once

#include "posenc/tensor.h"

namespace posenc {

template <class F>
decltype(auto) dispatch(DType dtype, F&& f) {
  switch (dtype) {
    case DType::f32:
      return f.template operator()<float>();
    case DType::f64:
      return f.template operator()<double>();
    case DType::f16:
      return f.template operator()<F16>();
    case DType::bf16:
      return f.template operator()<BF16>();
    default:
      fail("dispatch", "expected f32, f64, f16 or bf16, got ", to_string(dtype));
  }
}

// The same for the type that sums are done in.
template <class F>
void dispatch_compute(DType dtype, F&& f) {
  dtype == DType::f64 ? f.template operator()<double>() : f.template operator()<float>();
}

}  // namespace posenc
