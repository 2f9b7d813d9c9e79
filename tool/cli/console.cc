// console.cc: writing to the standard output and asking the terminal.
#include "cli/console.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <system_error>

#include "posenc/tensor.h"

namespace posenc::cli {
namespace {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

constexpr std::string_view erase_line = "\r\033[K";
std::atomic<bool> busy = false;    // a line tells how far something is
std::atomic<bool> spoken = false;  // output has gone to a terminal since it began
std::atomic<bool> shown = false;   // that line is on the terminal

}  // namespace

void print(std::string_view text) {
  if (busy && ::isatty(STDOUT_FILENO) && !spoken.exchange(true) && shown.exchange(false))
    print_error(erase_line);
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw Closed{};
  fail("print", "cannot write to the standard output: ", std::generic_category().message(errno));
}

void print_error(std::string_view text) noexcept {
  if (std::fwrite(text.data(), 1, text.size(), stderr) != text.size()) std::clearerr(stderr);
}

Size console_size() {
  winsize size{};
  if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return {100, 30};
  return {std::clamp<int>(size.ws_col, 40, 1000), std::clamp<int>(size.ws_row, 10, 1000)};
}

draw::Colour console_colour() {
  const std::string term = environment("TERM"), colours = environment("COLORTERM");
  if (!environment("NO_COLOR").empty() || !::isatty(STDOUT_FILENO)) return draw::Colour::none;
  if (term.empty() || term == "dumb") return draw::Colour::none;
  const bool true_colours = colours == "truecolor" || colours == "24bit";
  return true_colours ? draw::Colour::truecolour : draw::Colour::ansi256;
}

Progress::Progress(std::string what) : what_(std::move(what)) {
  const std::string term = environment("TERM");
  if (!::isatty(STDERR_FILENO) || term.empty() || term == "dumb" || busy.exchange(true)) return;
  spoken = false;
  try {
    watcher_ = std::thread([this] { watch(); });
  } catch (const std::system_error&) {
    busy = false;  // no thread to be had: no line
  }
}

Progress::~Progress() {
  if (!watcher_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
  }
  ending_.notify_one();
  watcher_.join();
  if (shown.exchange(false)) print_error(erase_line);
  busy = false;
}

void Progress::at(double part, std::string_view detail) {
  if (!watcher_.joinable()) return;
  const std::lock_guard lock(mutex_);
  part_ = part, detail_ = detail;
}

// Shows how far it is, five times a second, until the end.
void Progress::watch() {
  using namespace std::chrono_literals;
  const auto begin = std::chrono::steady_clock::now();
  std::unique_lock lock(mutex_);
  auto next = begin + 2s;
  while (!ending_.wait_until(lock, next, [this] { return ended_; }) && !spoken) {
    show(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    next = std::chrono::steady_clock::now() + 200ms;
  }
}

void Progress::show(double seconds) {
  std::string line = what_ + ":";
  if (part_ >= 0) line += fmt::format(" {:.0f}%", 100 * part_);
  line += fmt::format(" {:.0f} s {}", seconds, detail_);
  winsize size{};
  const bool known = ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  line.resize(std::min<size_t>(line.size(), known ? size.ws_col - 1u : 79));
  print_error(std::string(erase_line) + line);
  shown = true;
}

}  // namespace posenc::cli
