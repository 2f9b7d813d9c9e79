// interrupt.cc: the caller's thread asks now and then, the others read what it was told.
#include "base/interrupt.h"

#include <atomic>
#include <chrono>
#include <thread>
#include <utility>

namespace posenc {

struct InterruptWatch {
  using Clock = std::chrono::steady_clock;
  static constexpr auto interval = std::chrono::milliseconds(50);

  bool (*wanted)();
  InterruptWatch* outer;
  std::thread::id caller = std::this_thread::get_id();
  Clock::time_point next = Clock::now() + interval;  // the caller's thread alone touches it
  std::atomic<bool> ended{false};

  void check(bool at_once) {
    if (ended.load(std::memory_order_relaxed)) throw Interrupted();
    if (std::this_thread::get_id() != caller) return;
    const auto now = Clock::now();
    if (now < next && !at_once) return;
    next = now + interval;
    if (!wanted()) return;
    ended.store(true, std::memory_order_relaxed);
    throw Interrupted();
  }
};

namespace {
thread_local InterruptWatch* watching = nullptr;
}

InterruptScope::InterruptScope(bool (*wanted)()) : watch_(new InterruptWatch{wanted, watching}) {
  watching = watch_;
}
InterruptScope::~InterruptScope() {
  watching = watch_->outer;
  delete watch_;
}

void check_interrupt(bool now) {
  if (watching) watching->check(now);
}

InterruptWatch* interrupt_watch() { return watching; }
WatchedAlike::WatchedAlike(InterruptWatch* watch) : before_(std::exchange(watching, watch)) {}
WatchedAlike::~WatchedAlike() { watching = before_; }

}  // namespace posenc
