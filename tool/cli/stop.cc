// stop.cc: how signals end the tool, so that nothing unfinished is left behind.
#include "cli/stop.h"

#include <atomic>
#include <csignal>

#include "model/output.h"

namespace posenc::cli {
namespace {

std::atomic<int> gentle = 0;  // how many StopGently there are
std::atomic<int> stopped_by = 0;

void end(int signal) {
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

void stop(int signal) {
  int none = 0;
  if (gentle == 0 || !stopped_by.compare_exchange_strong(none, signal)) end(signal);
}

}  // namespace

void handle_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {
    }, before{};
    now.sa_handler = stop;  // calls that wait are interrupted: there is no SA_RESTART
    sigaction(signal, &now, &before);
    if (before.sa_handler == SIG_IGN) sigaction(signal, &before, nullptr);
  }
}

StopGently::StopGently() : scope_([] { return stopped_by != 0; }) { ++gentle; }
StopGently::~StopGently() { --gentle; }

void check_stopped() {
  if (stopped_by != 0) throw Interrupted();
}

void end_if_stopped() {
  if (const int signal = stopped_by) end(signal);
}

}  // namespace posenc::cli
