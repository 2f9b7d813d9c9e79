// parallel.h: the one place where threads are used.
#pragma once

#include <omp.h>

#include <algorithm>
#include <cstdint>

#include "posenc/threads.h"

namespace posenc {

inline constexpr int64_t bytes_worth_a_thread = 100'000;  // a fork and join costs about 1 us

// How many threads so many bytes deserve.
inline int64_t threads_for(int64_t bytes) {
  return std::clamp<int64_t>(bytes / bytes_worth_a_thread, 1, threads());
}

// Calls f(i) for i in [0, n), over threads when the work touches enough bytes. f must not throw.
template <class F>
void parallel_for(int64_t n, int64_t bytes, const F& f) {
  const int64_t wanted = std::min(n, threads_for(bytes));
  if (wanted <= 1) {
    for (int64_t i = 0; i < n; ++i) f(i);
    return;
  }
#pragma omp parallel for schedule(static) num_threads(static_cast <int>(wanted))
  for (int64_t i = 0; i < n; ++i) f(i);
}

// The same for work that ends in a sum: result = make(i) on any thread, then commit(i, result) for
// i = 0, 1, 2, ... in order.
template <class Make, class Commit>
void ordered_parallel_for(int64_t n, int64_t bytes, const Make& make, const Commit& commit) {
  const int64_t wanted = std::min(n, threads_for(bytes));
#pragma omp parallel for ordered schedule(static, 1) \
    num_threads(static_cast <int>(std::max <int64_t>(wanted, 1)))
  for (int64_t i = 0; i < n; ++i) {
    const auto result = make(i);
#pragma omp ordered
    commit(i, result);
  }
}

}  // namespace posenc
