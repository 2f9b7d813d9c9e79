// interrupt_test.cc: work without an end, which the caller ends.
#include "base/interrupt.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "base/parallel.h"
#include "tests/support/threads.h"

namespace posenc::interrupt_test {
namespace {

constexpr int64_t large = int64_t{1} << 40, endless = INT64_MAX;

std::atomic<int> asked{0};
std::thread::id asker;
bool third_time() {
  EXPECT_EQ(std::this_thread::get_id(), asker);  // Python's handlers run there alone
  return ++asked >= 3;
}

class Interrupts : public testing::Test {
 protected:
  void SetUp() override {
    alarm(120);  // what does not end is killed
    asked = 0, asker = std::this_thread::get_id();
  }
  void TearDown() override { alarm(0); }
};

TEST_F(Interrupts, EndParallelWork) {
  for (const int count : {1, 3}) {
    const Threads use(count);
    asked = 0;
    std::atomic<int64_t> calls{0};
    {
      const InterruptScope scope(third_time);
      EXPECT_THROW(parallel_for(endless, large, [&](int64_t) { ++calls; }), Interrupted);
    }
    EXPECT_EQ(asked, 3);
    EXPECT_GT(calls, 0);
    check_interrupt();  // nobody asks any more
  }
}

TEST_F(Interrupts, EndOrderedWork) {
  for (const int count : {1, 3}) {
    const Threads use(count);
    asked = 0;
    const InterruptScope scope(third_time);
    int64_t next = 0;
    const auto commit = [&](int64_t i, int64_t) { EXPECT_EQ(i, next++); };
    EXPECT_THROW(ordered_parallel_for(
                     endless, large, [](int64_t i) { return i; }, commit),
                 Interrupted);
    EXPECT_GT(next, 0);
  }
}

// A helper that waits for nothing but the flag ends too: the caller's thread was told.
TEST_F(Interrupts, EndHelpers) {
  const Threads use(2);
  const InterruptScope scope(third_time);
  const auto until_told = [](int64_t) {
    for (;;) check_interrupt();
  };
  EXPECT_THROW(for_each_piece_of(2, PieceCall(until_told)), Interrupted);
}

TEST_F(Interrupts, ScopesNest) {
  const InterruptScope outer(third_time);
  {
    const InterruptScope inner([] { return false; });
    const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(300);
    while (std::chrono::steady_clock::now() < end) check_interrupt();
  }
  EXPECT_EQ(asked, 0);
  EXPECT_THROW(for (;;) check_interrupt(), Interrupted);
}

TEST_F(Interrupts, AreAskedForAtOnceAfterASignal) {
  asked = 2;
  const InterruptScope scope(third_time);
  check_interrupt();  // too soon
  EXPECT_EQ(asked, 2);
  EXPECT_THROW(check_interrupt(true), Interrupted);
}

TEST_F(Interrupts, SmallWorkAsksNobody) {
  asked = 2;  // the next time would end it
  const InterruptScope scope(third_time);
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(200);
  while (std::chrono::steady_clock::now() < end) parallel_for(10, 4096, [](int64_t) {});
  EXPECT_EQ(asked, 2);
}

}  // namespace
}  // namespace posenc::interrupt_test
