// parallel.h: the one place where threads are used.
//
// Work is cut into pieces, as many as there should be threads. Who does a piece is left to chance,
// what it holds is not, so results never depend on threads. What f throws reaches the caller; work
// that has not begun by then is left out. Work that takes long ends where its caller wants that.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

#include "base/interrupt.h"
#include "posenc/threads.h"

namespace posenc {

// How many threads so many bytes deserve; one where others are at work already: inside a
// parallel_for, or inside a parallel region of a caller who uses OpenMP.
int64_t threads_for(int64_t bytes);

// What is called with the number of a piece. It refers to a function and owns nothing.
class PieceCall {
 public:
  template <class F>
  explicit PieceCall(const F& f)
      : f_(&f), call_([](const void* g, int64_t n) { (*static_cast<const F*>(g))(n); }) {}
  void operator()(int64_t piece) const { call_(f_, piece); }

 private:
  const void* f_;
  void (*call_)(const void*, int64_t);
};

// Calls work for each piece in [0, count), each on a thread of its own where the system has one.
void for_each_piece_of(int64_t count, const PieceCall& work);

// Calls f(i) for i in [first, end) of work that touches so many bytes in all.
template <class F>
void for_each_index(int64_t first, int64_t end, int64_t bytes, const F& f) {
  constexpr int64_t soon_done = int64_t{1} << 20;
  const bool asks = bytes > soon_done;
  for (int64_t i = first; i < end; ++i) {
    if (asks) check_interrupt();
    f(i);
  }
}

// Calls f(i) for i in [0, n), over threads when the work touches enough bytes.
template <class F>
void parallel_for(int64_t n, int64_t bytes, const F& f) {
  const int64_t count = std::min(n, threads_for(bytes));
  if (count <= 1) return for_each_index(0, n, bytes, f);
  const auto begin = [=](int64_t piece) { return n / count * piece + std::min(piece, n % count); };
  for_each_piece_of(count, PieceCall([&](int64_t piece) {
                      for_each_index(begin(piece), begin(piece + 1), bytes, f);
                    }));
}

// Hands out 0, 1, 2, ..., each number to one thread.
class Tickets {
 public:
  int64_t take() {
    check_interrupt();
    return next_.fetch_add(1, std::memory_order_relaxed);
  }

 private:
  std::atomic<int64_t> next_{0};
};

// Lets the holders of tickets act one at a time, in the order of their numbers, until one gives up.
class TicketLock {
 public:
  // Waits until the holder of the ticket before has left; false when somebody gave up.
  bool enter(int64_t ticket) {
    int64_t now;
    while ((now = turn_.load(std::memory_order_acquire)) != ticket && now != given_up)
      turn_.wait(now);
    return now == ticket;
  }
  void leave(int64_t ticket) {
    // Not a plain store: another may have given up since enter(), and then nobody acts any more.
    turn_.compare_exchange_strong(ticket, ticket + 1, std::memory_order_release,
                                  std::memory_order_relaxed);
    turn_.notify_all();
  }
  void give_up() {
    turn_.store(given_up, std::memory_order_release);
    turn_.notify_all();
  }

 private:
  static constexpr int64_t given_up = -1;
  std::atomic<int64_t> turn_{0};
};

// The same for work that ends in a sum: result = make(i) on any thread, then commit(i, result) for
// i = 0, 1, 2, ... in order.
template <class Make, class Commit>
void ordered_parallel_for(int64_t n, int64_t bytes, const Make& make, const Commit& commit) {
  Tickets tickets;
  TicketLock lock;
  const auto take_all = [&](int64_t) {
    for (int64_t i = tickets.take(); i < n; i = tickets.take()) {
      const auto result = make(i);
      if (!lock.enter(i)) return;
      commit(i, result);
      lock.leave(i);
    }
  };
  for_each_piece_of(std::min(n, threads_for(bytes)), PieceCall([&](int64_t piece) {
                      try {
                        take_all(piece);
                      } catch (...) {
                        lock.give_up();
                        throw;
                      }
                    }));
}

}  // namespace posenc
