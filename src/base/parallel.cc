// parallel.cc: threads by OpenMP, or of a pool of our own where it was built without.
//
// Another OpenMP may live in the same process, and the linker may give us some of its functions:
// so who does which piece is settled by flags of our own, and a thread's number is only a hint that
// keeps a piece near the memory it touched before. Nobody's settings are changed.
#include "base/parallel.h"

#include <exception>
#include <utility>

#include "posenc/tensor.h"

#ifdef _OPENMP
#include <omp.h>
#include <pthread.h>
#else
#include <thread>

#include "base/thread_pool.h"
#endif

namespace posenc {
namespace {

constexpr int most_threads = 1024;
std::atomic<int> limit{0};          // 0: not set
thread_local bool is_busy = false;  // with a piece of a parallel_for

// Pieces to be done, and what came of them.
class PieceQueue {
 public:
  PieceQueue(int64_t count, const PieceCall& work) : count_(count), work_(work) {}

  // Does what nobody else has taken, beginning with `first`.
  void help(int64_t first) {
    const bool before = std::exchange(is_busy, true);
    const WatchedAlike watched(watch_);
    for (int64_t i = 0; i < count_; ++i)
      if (const int64_t piece = (first + i) % count_; !taken_[piece].exchange(true)) attempt(piece);
    is_busy = before;
  }
  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  void attempt(int64_t piece) {
    if (failed_.load(std::memory_order_relaxed)) return;
    try {
      work_(piece);
    } catch (...) {
      if (!failed_.exchange(true)) error_ = std::current_exception();
    }
  }

  int64_t count_;
  const PieceCall& work_;
  InterruptWatch* watch_ = interrupt_watch();
  std::atomic<bool> taken_[most_threads]{}, failed_{false};
  std::exception_ptr error_{};
};

#ifdef _OPENMP

constexpr int64_t bytes_worth_a_thread = 100'000;  // a fork and join costs about 1 us
int available_threads() { return omp_get_max_threads(); }

// A child of fork() has none of its parent's threads, but g++'s OpenMP would wait for them for
// ever.
std::atomic<bool> has_team{false}, lost_team{false};
[[maybe_unused]] const int watched =
    pthread_atfork(nullptr, nullptr, [] { lost_team.store(has_team.load()); });

bool caller_is_busy() { return omp_in_parallel() || lost_team.load(std::memory_order_relaxed); }

void help_together(PieceQueue& pieces, int count) {
  has_team.store(true, std::memory_order_relaxed);
#pragma omp parallel num_threads(count)
  pieces.help(omp_get_thread_num());
}

#else

constexpr int64_t bytes_worth_a_thread = 200'000;  // to wake a thread of the pool takes some 5 us
int available_threads() {
  return std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
}
bool caller_is_busy() { return false; }

void help_together(PieceQueue& pieces, int count) {
  call_on_pool(count, PieceCall([&](int64_t number) { pieces.help(number); }));
}

#endif

}  // namespace

int threads() {
  const int set = limit.load(std::memory_order_relaxed);
  return set ? set : std::clamp(available_threads(), 1, most_threads);
}

void set_threads(int count) {
  if (count < 1 || count > most_threads)
    fail("threads", "expected 1 to ", most_threads, " threads, got ", count);
  limit.store(count, std::memory_order_relaxed);
}

int64_t threads_for(int64_t bytes) {
  if (bytes < 2 * bytes_worth_a_thread || is_busy || caller_is_busy()) return 1;
  return std::min<int64_t>(bytes / bytes_worth_a_thread, threads());
}

void for_each_piece_of(int64_t count, const PieceCall& work) {
  if (count <= 1) return work(0);
  PieceQueue pieces(count, work);
  help_together(pieces, static_cast<int>(count));
  pieces.rethrow();
}

}  // namespace posenc
