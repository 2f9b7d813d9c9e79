// allocations.h: what operator new has been asked for; every test program counts it.
#pragma once

#include <atomic>
#include <cstdint>

namespace posenc {

inline std::atomic<int64_t> allocations{0}, held_bytes{0}, most_bytes{0};

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
