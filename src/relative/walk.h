// walk.h: what adding biases and writing them have in common.
#pragma once

#include <limits>

#include "base/half.h"
#include "base/parallel.h"
#include "relative/bias_rows.h"

namespace posenc {

// -infinity for keys after the query.
template <class T>
void mask(const BiasCall& call, int64_t row, int64_t query, bool run_of_keys, T* out,
          int64_t step) {
  const T hidden = rounded_to<T>(-std::numeric_limits<Compute<T>>::infinity());
  const int64_t first = run_of_keys ? seen_keys(call, row, query) : 0;
  for (int64_t k = first; k < call.keys.tokens; ++k)
    if (run_of_keys || call.keys.value(row, k) > call.queries.value(row, query))
      out[k * step] = hidden;
}

// In how many parts the batch rows are walked: few where that saves making biases again.
template <class C>
int64_t row_groups(const BiasCall& call, const BiasRows<C>& rows, const Tensor& out) {
  const bool ready = rows.sliding() && call.keys.is_run(0) && call.queries.is_run(0);
  if (!call.shared() || ready) return call.rows;
  return std::min(call.rows, threads_for(out.elements() * size_of(out.dtype)));
}

}  // namespace posenc
