// allocations.h: counts what operator new is asked for; include it in one file of a program.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace posenc {

inline std::atomic<int64_t> allocations{0};

inline void* counted(size_t size, size_t alignment) {
  ++allocations;
  void* p = nullptr;
  if (::posix_memalign(&p, alignment, size)) throw std::bad_alloc();
  return p;
}

template <class F>
int64_t allocations_of(const F& f) {
  const int64_t before = allocations;
  f();
  return allocations - before;
}

}  // namespace posenc

void* operator new(size_t size) { return posenc::counted(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t a) {
  return posenc::counted(size, static_cast<size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }
