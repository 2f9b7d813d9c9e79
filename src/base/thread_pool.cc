#include "base/thread_pool.h"

#include <condition_variable>
#include <exception>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#if defined(__unix__) || defined(__APPLE__)
#include <pthread.h>
#endif

namespace posenc {
namespace {

// A call that wants help. It lies on its caller's stack, in a list of those that are open.
struct PoolJob {
  const PieceCall& work;
  int next, end;    // numbers that nobody has taken yet
  int running = 0;  // threads of the pool that are inside work
  std::condition_variable left{};
  PoolJob* other = nullptr;
};

class ThreadPool {
 public:
  void run(int count, const PieceCall& work) {
    PoolJob job{.work = work, .next = 1, .end = count};
    {
      const std::lock_guard lock(mutex_);
      start_threads(count - 1);
      job.other = std::exchange(open_, &job);
    }
    for (int i = 1; i < count; ++i) wake_.notify_one();
    work(0);
    std::unique_lock lock(mutex_);
    close(job);
    job.left.wait(lock, [&] { return job.running == 0; });
  }

  std::mutex& mutex() { return mutex_; }

 private:
  void start_threads(int wanted) {
    try {
      for (; threads_ < wanted; ++threads_) std::thread([this] { serve(); }).detach();
    } catch (const std::exception&) {  // no thread or no memory for one: those there are do it
    }
  }

  [[noreturn]] void serve() {
    std::unique_lock lock(mutex_);
    for (;;) {
      wake_.wait(lock, [&] { return open_ != nullptr; });
      PoolJob& job = *open_;
      const int number = job.next++;
      if (job.next == job.end) close(job);
      ++job.running;
      lock.unlock();
      job.work(number);
      lock.lock();
      if (--job.running == 0) job.left.notify_one();
    }
  }

  void close(PoolJob& job) {
    for (PoolJob** at = &open_; *at; at = &(*at)->other)
      if (*at == &job) {
        *at = job.other;
        return;
      }
  }

  std::mutex mutex_;
  std::condition_variable wake_;
  PoolJob* open_ = nullptr;
  int threads_ = 0;
};

// Never destroyed: its threads wait in it until the process ends.
alignas(ThreadPool) std::byte pool_storage[sizeof(ThreadPool)];
ThreadPool& thread_pool() {
  static ThreadPool* const made = [] {
    ThreadPool* const first = new (pool_storage) ThreadPool;
#if defined(__unix__) || defined(__APPLE__)
    pthread_atfork([] { thread_pool().mutex().lock(); }, [] { thread_pool().mutex().unlock(); },
                   [] { new (pool_storage) ThreadPool; });
#endif
    return first;
  }();
  return *made;
}

}  // namespace

void call_on_pool(int count, const PieceCall& work) { thread_pool().run(count, work); }

}  // namespace posenc
