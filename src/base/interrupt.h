// interrupt.h: long calls that end when their caller says so, as on Ctrl-C.
//
//   const InterruptScope scope(wanted);  // bool wanted(): whether the call should end
//   graph::fill(scheme, graph, table);   // throws Interrupted soon after wanted() said true
#pragma once

#include <exception>

namespace posenc {

struct Interrupted : std::exception {
  const char* what() const noexcept override { return "interrupted"; }
};

// Who may end the calls of a thread.
struct InterruptWatch;

// As long as it lives, calls of this thread ask wanted() every 50 ms.
class InterruptScope {
 public:
  explicit InterruptScope(bool (*wanted)());
  InterruptScope(const InterruptScope&) = delete;
  ~InterruptScope();

 private:
  InterruptWatch* watch_;
};

// Throws Interrupted if the caller wants the running call to end. Loops that may take long call
// this in every round; it costs a look at the clock, and nothing without an InterruptScope. now:
// asks at once, as where a signal has ended a call of the system.
void check_interrupt(bool now = false);

// A thread that helps with a call is watched by those who watch the caller: it never asks wanted(),
// but ends when the caller was told to.
InterruptWatch* interrupt_watch();
class WatchedAlike {
 public:
  explicit WatchedAlike(InterruptWatch* watch);
  WatchedAlike(const WatchedAlike&) = delete;
  ~WatchedAlike();

 private:
  InterruptWatch* before_;
};

}  // namespace posenc
