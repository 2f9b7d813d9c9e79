// console.cc: writing to the standard output and asking the terminal.
#include "console.h"

#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
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

}  // namespace

void print(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  if (written && std::fflush(stdout) == 0) return;
  if (errno == EPIPE) throw Closed{};
  fail("print", "cannot write to the standard output: ", std::generic_category().message(errno));
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

Progress::Progress(std::string what)
    : what_(std::move(what)),
      last_(std::chrono::steady_clock::now() + std::chrono::milliseconds(1800)),
      terminal_(::isatty(STDERR_FILENO)) {}

void Progress::at(double part, std::string_view detail) {
  const auto now = std::chrono::steady_clock::now();
  if (!terminal_ || now - last_ < std::chrono::milliseconds(200)) return;
  last_ = now, shown_ = true;
  fmt::print(stderr, "\r\033[K{}: {:.0f}% {}", what_, 100 * part, detail);
}

Progress::~Progress() {
  if (shown_) fmt::print(stderr, "\r\033[K");
}

}  // namespace posenc::cli
