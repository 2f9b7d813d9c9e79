// scratch.cc: the pool of memory.
#include "base/scratch.h"

#include <bit>
#include <mutex>
#include <new>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace posenc {
namespace {

constexpr size_t most_bytes = size_t{64} << 20, slots = 128;
constexpr std::align_val_t alignment{64};

struct Pool {
  std::mutex mutex;
  Memory held[slots];
  size_t bytes = 0;

  // The smallest that fits and is not much too large.
  Memory take(size_t wanted) {
    const std::scoped_lock lock(mutex);
    Memory* best = nullptr;
    for (Memory& m : held)
      if (m.bytes >= wanted && m.bytes <= 4 * wanted && (!best || m.bytes < best->bytes)) best = &m;
    if (!best) return {};
    bytes -= best->bytes;
    return std::exchange(*best, {});
  }
  bool give(Memory memory) {
    const std::scoped_lock lock(mutex);
    if (bytes + memory.bytes > most_bytes) return false;
    const auto free = std::find_if(held, held + slots, [](const Memory& m) { return !m.data; });
    if (free == held + slots) return false;
    bytes += memory.bytes;
    *free = memory;
    return true;
  }
};

// A child of fork() has a copy of the pool, which no thread must be changing just then: there is
// nobody in the child who would unlock it.
Pool& pool();
void watch_forks() {
#if (defined(__unix__) || defined(__APPLE__)) && !defined(__EMSCRIPTEN__)  // others have no fork()
  pthread_atfork([] { pool().mutex.lock(); }, [] { pool().mutex.unlock(); },
                 [] { pool().mutex.unlock(); });
#endif
}

// Never destroyed: a plan may outlive whatever else is static.
Pool& pool() {
  alignas(Pool) static char memory[sizeof(Pool)];
  static Pool* const made = [] {
    auto* p = new (memory) Pool;
    watch_forks();
    return p;
  }();
  return *made;
}

// Few sizes, at most an eighth above what is asked for, so that calls of similar size share them.
size_t rounded(size_t bytes) {
  const size_t step = std::max<size_t>(std::bit_floor(bytes) / 8, 256);
  return (bytes + step - 1) / step * step;
}

void free_memory(Memory m) { ::operator delete(m.data, alignment); }

}  // namespace

Memory take_memory(size_t bytes) {
  const size_t wanted = rounded(bytes);
  const Memory found = pool().take(wanted);
  return found.data ? found : Memory{::operator new(wanted, alignment), wanted};
}

void give_memory(Memory memory) {
  if (!pool().give(memory)) free_memory(memory);
}

void release_memory() {
  Pool& p = pool();
  const std::scoped_lock lock(p.mutex);
  for (Memory& m : p.held)
    if (m.data) free_memory(std::exchange(m, {}));
  p.bytes = 0;
}

}  // namespace posenc
