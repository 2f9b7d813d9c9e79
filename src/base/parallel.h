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
#include "base/scratch.h"
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

// Indices [first, end) of one of `count` pieces of [0, n). In work that touches many bytes, next()
// ends the call where its caller wants that.
class PieceIndices {
 public:
  PieceIndices(int64_t n, int64_t count, int64_t piece, int64_t bytes)
      : at_(first_of(n, count, piece)),
        end_(first_of(n, count, piece + 1)),
        asks_(bytes > soon_done) {}
  // Whether there is one more index; then it is `i`.
  bool next(int64_t& i) {
    if (at_ == end_) return false;
    if (asks_) check_interrupt();
    i = at_++;
    return true;
  }

 private:
  static constexpr int64_t soon_done = int64_t{1} << 20;
  static int64_t first_of(int64_t n, int64_t count, int64_t piece) {
    return n / count * piece + std::min(piece, n % count);
  }

  int64_t at_, end_;
  bool asks_;
};

// Calls f(i) for i in [0, n), over threads when the work touches enough bytes.
template <class F>
void parallel_for(int64_t n, int64_t bytes, const F& f) {
  const int64_t count = std::max<int64_t>(1, std::min(n, threads_for(bytes)));
  const auto work = [&](int64_t piece) {
    PieceIndices indices(n, count, piece, bytes);
    for (int64_t i; indices.next(i);) f(i);
  };
  count == 1 ? work(0) : for_each_piece_of(count, PieceCall(work));
}

// Calls f(i, memory), each thread with so much memory of its own: on its stack where it is little,
// so that one token costs nothing.
template <class F>
void parallel_for_with(int64_t memory_bytes, int64_t n, int64_t bytes, const F& f) {
  constexpr int64_t little = int64_t{16} * 1024;
  const int64_t count = std::max<int64_t>(1, std::min(n, threads_for(bytes)));
  Scratch<char> all(memory_bytes > little ? count * memory_bytes : 0);
  const auto work = [&](int64_t piece) {
    alignas(64) char few[little];
    char* memory = memory_bytes > little ? all.data() + piece * memory_bytes : few;
    PieceIndices indices(n, count, piece, bytes);
    for (int64_t i; indices.next(i);) f(i, memory);
  };
  count == 1 ? work(0) : for_each_piece_of(count, PieceCall(work));
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
