// warm.h: memory whose pages exist before anything is timed.
#pragma once

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>

namespace posenc::bench {

// Aligned to a huge page, on huge pages where the system grants them: page faults and TLB misses
// are the allocator's affair, and here neither we nor the limit shall pay for them.
template <class T>
std::shared_ptr<T[]> warm(int64_t count, T value) {
  constexpr size_t huge_page = size_t{1} << 21;
  const size_t bytes = (static_cast<size_t>(count) * sizeof(T) + huge_page - 1) & ~(huge_page - 1);
  void* p = std::aligned_alloc(huge_page, bytes);
  if (!p) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  madvise(p, bytes, MADV_HUGEPAGE);
#endif
  T* data = static_cast<T*>(p);
  std::fill_n(data, count, value);
  return {data, [](T* q) { std::free(q); }};
}

}  // namespace posenc::bench
