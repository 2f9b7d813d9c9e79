// stop.h: how signals end the tool, so that nothing unfinished is left behind.
#pragma once

namespace posenc::cli {

// SIGINT, SIGTERM and SIGHUP remove unfinished files and end the tool at once. SIGPIPE and SIGXFSZ
// are ignored: what cannot be written is told by the write.
void handle_signals();

// While one lives, the first of these signals is only remembered: check_stopped() throws, and what
// destructors remove is removed. The second ends the tool at once.
class StopGently {
 public:
  StopGently();
  StopGently(const StopGently&) = delete;
  ~StopGently();
};

// Thrown after a signal.
struct Stopped {};
void check_stopped();

// Ends the tool as the signal that was remembered would have; returns where there was none.
void end_if_stopped();

}  // namespace posenc::cli
