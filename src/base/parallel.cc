// parallel.cc: the number of threads.
#include "base/parallel.h"

#include <atomic>

#include "posenc/tensor.h"

namespace posenc {
namespace {
std::atomic<int> limit{0};  // 0: not set
}

int threads() {
  const int set = limit.load(std::memory_order_relaxed);
  return set ? set : omp_get_max_threads();
}

void set_threads(int count) {
  if (count < 1 || count > 1024) fail("threads", "expected 1 to 1024 threads, got ", count);
  limit.store(count, std::memory_order_relaxed);
}

}  // namespace posenc
