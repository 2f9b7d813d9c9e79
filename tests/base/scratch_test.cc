// scratch_test.cc: memory that calls give back and take again.
#include "base/scratch.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>
#include <vector>

#include "base/kept.h"
#include "tests/support/allocations.h"
#include "tests/support/sanitizer.h"

namespace posenc::scratch_test {
namespace {

TEST(Scratch, MemoryComesBack) {
  release_memory();
  void* first = Scratch<float>(1000).data();
  EXPECT_EQ(Scratch<float>(1000).data(), first);
  EXPECT_EQ(Scratch<double>(480).data(), first);  // of about the size
  const Scratch<float> held(1000);
  EXPECT_NE(Scratch<float>(1000).data(), held.data());
}

TEST(Scratch, IsAlignedAndMoves) {
  Scratch<char> a(100);
  EXPECT_EQ(reinterpret_cast<uintptr_t>(a.data()) % 64, 0u);
  a[99] = 7;
  const Scratch<char> b = std::move(a);
  EXPECT_EQ(b[99], 7);
  EXPECT_EQ(b.size(), 100);
  EXPECT_EQ(a.size(), 0);
}

TEST(Scratch, FewNumbersLieInTheObject) {
  const Scratch<double, 8> few(8), more(9);
  const auto inside = [](const auto& s) {
    const auto at = reinterpret_cast<uintptr_t>(s.data()), from = reinterpret_cast<uintptr_t>(&s);
    return at >= from && at < from + sizeof(s);
  };
  EXPECT_TRUE(inside(few));
  EXPECT_FALSE(inside(more));
}

TEST(Scratch, ManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int n = 0; n < 500; ++n) {
        Scratch<int> mine(1 + n % 97 * 50, t);
        for (const int x : mine) ASSERT_EQ(x, t);
      }
    });
  for (auto& t : threads) t.join();
}

// Blocks of 40 MiB come and go: one of them fits the pool of 64 MiB each time.
TEST(Scratch, TakenMemoryCountsNoLonger) {
  release_memory();
  void* first = Scratch<char>(40 << 20).data();
  for (int i = 0; i < 5; ++i) EXPECT_EQ(Scratch<char>(40 << 20).data(), first);
  release_memory();
}

// Three blocks of 30 MiB are given back: two of them fit. Sanitizers keep memory of their own.
#ifndef POSENC_ADDRESS_SANITIZER
TEST(Scratch, ThePoolIsBounded) {
  release_memory();
  const int64_t before = held_bytes;
  {
    const Scratch<char> a(30 << 20), b(30 << 20), c(30 << 20);
    EXPECT_GE(held_bytes - before, 90 << 20);
  }
  EXPECT_LE(held_bytes - before, 64 << 20);
  EXPECT_GE(held_bytes - before, 60 << 20);
  release_memory();
  EXPECT_LE(held_bytes - before, 1 << 20);
}
#endif

// Threads use the pool while the process forks: its lock must not stay taken in the child.
TEST(Scratch, InAChildOfFork) {
  std::atomic<bool> done{false};
  std::vector<std::thread> users;
  for (int t = 0; t < 2; ++t)
    users.emplace_back([&] {
      while (!done) Scratch<char>(5000);
    });
  for (int round = 0; round < 100; ++round) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(20);  // rather than to wait for ever
      void* got = Scratch<char>(5000).data();
      _exit(got && Scratch<char>(5000).data() == got ? 0 : 1);
    }
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0) << "round " << round;
  }
  done = true;
  for (std::thread& user : users) user.join();
}

TEST(Kept, GrowsOnTheSideThatGrows) {
  const auto pair = [](const Range& r) { return std::pair{r.first, r.end()}; };
  EXPECT_EQ(pair(grown({}, {-5, 6}, 99)), (std::pair<int64_t, int64_t>(-5, 1)));
  EXPECT_EQ(pair(grown({-5, 6}, {-6, 7}, 99)), (std::pair<int64_t, int64_t>(-13, 1)));
  EXPECT_EQ(pair(grown({0, 10}, {0, 12}, 99)), (std::pair<int64_t, int64_t>(0, 24)));
  EXPECT_EQ(pair(grown({0, 10}, {0, 12}, 15)), (std::pair<int64_t, int64_t>(0, 15)));
  EXPECT_EQ(pair(grown({0, 10}, {-1, 12}, 99)), (std::pair<int64_t, int64_t>(-7, 17)));
  EXPECT_EQ(pair(grown({0, 10}, {100000, 10}, 99)), (std::pair<int64_t, int64_t>(100000, 100010)));
}

}  // namespace
}  // namespace posenc::scratch_test
