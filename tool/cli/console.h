// console.h: the standard output and error, and what is known about the terminal behind them.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

#include "draw/terminal.h"

namespace posenc::cli {

// Thrown when nobody reads the standard output any more: the end of the work, but no error.
struct Closed {};

void print(std::string_view text);

// To the standard error, if that can be written.
void print_error(std::string_view text) noexcept;

// Characters of a line and lines of the terminal; 100 x 30 when there is none.
struct Size {
  int columns, rows;
};
Size console_size();

// No colours for a file or a pipe, a dumb terminal, or when NO_COLOR is set.
draw::Colour console_colour();

// A line on the standard error while something takes long: from two seconds on, only on a terminal,
// and not while the same terminal gets the output. Of two at a time the second is silent.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();  // erases the line

  void at(double part, std::string_view detail = {});  // part: 0 .. 1

 private:
  void watch();
  void show(double seconds);

  const std::string what_;
  std::mutex mutex_;
  std::condition_variable ending_;
  std::string detail_;
  double part_ = -1;  // unknown
  bool ended_ = false;
  std::thread watcher_;
};

}  // namespace posenc::cli
