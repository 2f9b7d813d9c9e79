// stop.h: how signals end the tool, so that nothing unfinished is left behind.
#pragma once

#include "base/interrupt.h"

namespace posenc::cli {

// SIGINT, SIGTERM and SIGHUP remove unfinished files and end the tool at once. SIGPIPE and SIGXFSZ
// are ignored: what cannot be written is told by the write.
void handle_signals();

// While one lives, the first of these signals is only remembered: check_stopped() and long calls of
// the library throw Interrupted, and what destructors remove is removed. The second ends the tool
// at once.
class StopGently {
 public:
  StopGently();
  StopGently(const StopGently&) = delete;
  ~StopGently();

 private:
  InterruptScope scope_;
};

void check_stopped();  // throws Interrupted after a signal

// Ends the tool as the signal that was remembered would have; returns where there was none.
void end_if_stopped();

}  // namespace posenc::cli
