// allocations.h: counts what operator new is asked for; include it in one file of a program.
#pragma once

#include <malloc.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <new>

namespace posenc {

inline std::atomic<int64_t> allocations{0}, held_bytes{0}, most_bytes{0};

inline void* take_counted(size_t size, size_t alignment) {
  ++allocations;
  void* p = nullptr;
  if (::posix_memalign(&p, alignment, size)) throw std::bad_alloc();
  const int64_t now = held_bytes += static_cast<int64_t>(malloc_usable_size(p));
  for (int64_t old = most_bytes; now > old && !most_bytes.compare_exchange_weak(old, now);) {
  }
  return p;
}
inline void give_counted(void* p) {
  held_bytes -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}

template <class F>
int64_t allocations_of(const F& f) {
  const int64_t before = allocations;
  f();
  return allocations - before;
}

// Bytes that f takes on top of what is there.
template <class F>
int64_t peak_of(const F& f) {
  const int64_t before = most_bytes = held_bytes.load();
  f();
  return most_bytes - before;
}

}  // namespace posenc

void* operator new(size_t size) { return posenc::take_counted(size, alignof(std::max_align_t)); }
void* operator new(size_t size, std::align_val_t a) {
  return posenc::take_counted(size, static_cast<size_t>(a));
}
[[gnu::noinline]] void operator delete(void* p) noexcept { posenc::give_counted(p); }
[[gnu::noinline]] void operator delete(void* p, size_t) noexcept { posenc::give_counted(p); }
[[gnu::noinline]] void operator delete(void* p, std::align_val_t) noexcept {
  posenc::give_counted(p);
}
[[gnu::noinline]] void operator delete(void* p, size_t, std::align_val_t) noexcept {
  posenc::give_counted(p);
}
