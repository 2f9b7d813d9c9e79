// parallel_test.cc: every index once, sums in order, and errors that reach the caller. Built twice:
// with the library's threads, and with those of the standard library.
#include "base/parallel.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <mutex>
#include <numeric>
#include <set>
#include <string>
#include <thread>

#include "posenc/posenc.h"
#include "tests/support/message.h"
#include "tests/support/threads.h"

namespace posenc::parallel_test {
namespace {

constexpr int64_t large = int64_t{1} << 40;  // bytes that deserve every thread

TEST(Parallel, CallsEveryIndexOnce) {
  for (const int count : {1, 2, 3, 7, 64}) {
    const Threads use(count);
    for (const int64_t n : {0, 1, 2, 6, 7, 8, 100, 1000}) {
      std::vector<std::atomic<int>> calls(static_cast<size_t>(n));
      parallel_for(n, large, [&](int64_t i) { ++calls[static_cast<size_t>(i)]; });
      for (const auto& c : calls) EXPECT_EQ(c, 1) << count << " threads, " << n;
    }
  }
}

// A thread's memory is its own, whether it lies on its stack or not.
TEST(Parallel, GivesEachThreadMemory) {
  for (const int64_t bytes : {64, 16 * 1024, 16 * 1024 + 64})
    for (const int count : {1, 2, 7}) {
      const Threads use(count);
      std::vector<std::atomic<int>> calls(100);
      parallel_for_with(bytes, 100, large, [&](int64_t i, char* memory) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(memory) % 64, 0u);
        std::fill_n(memory, bytes, static_cast<char>(i));
        std::this_thread::yield();
        EXPECT_EQ(std::count(memory, memory + bytes, static_cast<char>(i)), bytes);
        ++calls[static_cast<size_t>(i)];
      });
      for (const auto& c : calls) EXPECT_EQ(c, 1) << count << " threads, " << bytes << " bytes";
      parallel_for_with(bytes, 0, large, [&](int64_t, char*) { FAIL(); });
    }
}

TEST(Parallel, CommitsInOrder) {
  for (const int count : {1, 2, 5, 16}) {
    const Threads use(count);
    for (const int64_t n : {0, 1, 3, 200}) {
      std::vector<int64_t> seen, wanted(static_cast<size_t>(n));
      std::iota(wanted.begin(), wanted.end(), 0);
      ordered_parallel_for(
          n, large, [](int64_t i) { return 3 * i; },
          [&](int64_t i, int64_t result) {
            EXPECT_EQ(result, 3 * i);
            seen.push_back(i);
          });
      EXPECT_EQ(seen, wanted) << count << " threads";
    }
  }
}

TEST(Parallel, ErrorsReachTheCaller) {
  for (const int count : {1, 2, 8}) {
    const Threads use(count);
    for (const int64_t bad : {0, 1, 50, 99}) {
      const auto f = [&](int64_t i) {
        if (i >= bad) fail("f", "expected less than ", bad, ", got ", i);
      };
      const std::string part = "[f] expected less than " + std::to_string(bad) + ", got ";
      const auto nothing = [](int64_t, int) {};
      const auto make = [&](int64_t i) { return f(i), 0; };
      const auto commit = [&](int64_t i, int) { f(i); };
      expect_message([&] { parallel_for(100, large, f); }, part);
      expect_message([&] { ordered_parallel_for(100, large, make, nothing); }, part);
      expect_message(
          [&] {
            ordered_parallel_for(
                100, large, [](int64_t) { return 0; }, commit);
          },
          part + std::to_string(bad));
    }
  }
}

// Set once, by one thread for another.
class Signal {
 public:
  void give() {
    given_ = true;
    given_.notify_all();
  }
  void wait() const { given_.wait(false); }

 private:
  std::atomic<bool> given_{false};
};

TEST(Parallel, GivingUpIsForGood) {
  alarm(60);  // a thread that waits for ever ends the program
  TicketLock lock;
  Signal entered, gave_up;
  std::thread other([&] {
    entered.wait();
    lock.give_up();
    gave_up.give();
  });
  EXPECT_TRUE(lock.enter(0));
  entered.give();
  gave_up.wait();
  lock.leave(0);
  EXPECT_FALSE(lock.enter(1));
  EXPECT_FALSE(lock.enter(2));
  other.join();
  alarm(0);
}

TEST(Parallel, AFailureWhileAnotherCommitsReachesTheCaller) {
  alarm(60);
  const Threads use(2);
  for (int trial = 0; trial < 20; ++trial) {
    Signal committing, failing;
    const auto make = [&](int64_t i) {
      if (i != 1) return 0;
      committing.wait();
      failing.give();
      throw std::bad_alloc();
    };
    const auto commit = [&](int64_t i, int) {
      EXPECT_EQ(i, 0);
      committing.give();
      failing.wait();
    };
    EXPECT_THROW(ordered_parallel_for(100, large, make, commit), std::bad_alloc);
  }
  alarm(0);
}

TEST(Parallel, AnErrorOfManyIsOne) {
  const Threads use(8);
  for (int trial = 0; trial < 50; ++trial)
    EXPECT_THROW(parallel_for(8, large, [](int64_t) { throw std::bad_alloc(); }), std::bad_alloc);
  int64_t sum = 0;
  ordered_parallel_for(
      100, large, [](int64_t i) { return i; }, [&](int64_t, int64_t i) { sum += i; });
  EXPECT_EQ(sum, 4950);
}

TEST(Parallel, InsideAnotherIsSerial) {
  const Threads use(4);
  std::atomic<int64_t> calls{0};
  parallel_for(4, large, [&](int64_t) {
    EXPECT_EQ(threads_for(large), 1);
    const auto me = std::this_thread::get_id();
    parallel_for(25, large, [&](int64_t) {
      EXPECT_EQ(std::this_thread::get_id(), me);
      ++calls;
    });
  });
  EXPECT_EQ(calls, 100);
  EXPECT_EQ(threads_for(large), 4);
  EXPECT_EQ(threads_for(0), 1);
  expect_message(
      [&] {
        parallel_for(4, large,
                     [](int64_t) { parallel_for(4, large, [](int64_t i) { fail("inner", i); }); });
      },
      "[inner] ");
  EXPECT_EQ(threads_for(large), 4);
}

TEST(Parallel, FromManyThreadsAtOnce) {
  const Threads use(3);
  std::atomic<int64_t> calls{0};
  std::vector<std::thread> callers;
  for (int c = 0; c < 4; ++c)
    callers.emplace_back([&] {
      for (int trial = 0; trial < 20; ++trial) parallel_for(10, large, [&](int64_t) { ++calls; });
    });
  for (std::thread& caller : callers) caller.join();
  EXPECT_EQ(calls, 800);
}

TEST(Parallel, KeepsItsThreads) {
  const Threads use(3);
  std::mutex mutex;
  std::set<pid_t> seen;
  for (int trial = 0; trial < 500; ++trial)
    parallel_for(3, large, [&](int64_t) {
      const std::lock_guard lock(mutex);
      seen.insert(gettid());
    });
  EXPECT_LE(seen.size(), 64U);  // as many as any test asks for at once
}

TEST(Parallel, InAChildOfFork) {
  const Threads use(3);
  const auto count = [] {
    std::atomic<int64_t> calls{0};
    parallel_for(100, large, [&](int64_t) { ++calls; });
    return calls.load();
  };
  EXPECT_EQ(count(), 100);
  const pid_t child = fork();
  if (child == 0) {
    alarm(10);  // rather than to wait for ever
    _exit(count() == 100 ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(count(), 100);
}

TEST(Parallel, RowsAndSumsDoNotDependOnThreads) {
  const auto run = [](int count) {
    const Threads use(count);
    std::vector<float> rows(1000 * 2048), table(1000 * 2048), sums(table.size());
    fill(Sinusoidal{.dim = 2048}, tensor(rows.data(), {1000, 2048}), range(12345));
    const Tensor learned[] = {tensor(table.data(), {1000, 2048})};
    const Tensor to[] = {tensor(sums.data(), {1000, 2048})};
    const auto plan = prepare(Learned{.dim = 2048, .rows = 1000}, {.weights = learned});
    backward(plan, tensor(rows.data(), {2, 500, 2048}), to);
    rows.insert(rows.end(), sums.begin(), sums.end());
    return rows;
  };
  const auto one = run(1);
  for (const int count : {2, 5}) EXPECT_EQ(run(count), one) << count << " threads";
}

}  // namespace
}  // namespace posenc::parallel_test
