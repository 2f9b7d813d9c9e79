// allocations.cc: operator new and delete that count.
#include "tests/support/allocations.h"

#include <malloc.h>

#include <cstddef>
#include <cstdlib>
#include <new>

namespace posenc {
namespace {

void* take_counted(size_t size, size_t alignment) {
  ++allocations;
  void* p = nullptr;
  if (::posix_memalign(&p, alignment, size)) throw std::bad_alloc();
  const int64_t now = held_bytes += static_cast<int64_t>(malloc_usable_size(p));
  for (int64_t old = most_bytes; now > old && !most_bytes.compare_exchange_weak(old, now);) {
  }
  return p;
}
void give_counted(void* p) {
  held_bytes -= static_cast<int64_t>(malloc_usable_size(p));
  std::free(p);
}

}  // namespace
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
