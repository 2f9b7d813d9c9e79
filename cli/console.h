// console.h: the standard output, and what is known about the terminal behind it.
#pragma once

#include <chrono>
#include <string>
#include <string_view>

#include "draw/terminal.h"

namespace posenc::cli {

// Thrown when nobody reads the standard output any more: the end of the work, but no error.
struct Closed {};

void print(std::string_view text);

// Characters of a line and lines of the terminal; 100 x 30 when there is none.
struct Size {
  int columns, rows;
};
Size console_size();

// No colours for a file or a pipe, a dumb terminal, or when NO_COLOR is set.
draw::Colour console_colour();

// A line on the standard error while something takes long: from two seconds on, and only on a
// terminal.
class Progress {
 public:
  explicit Progress(std::string what);
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
  ~Progress();

  void at(double part, std::string_view detail = {});  // part: 0 .. 1

 private:
  std::string what_;
  std::chrono::steady_clock::time_point last_;
  bool terminal_, shown_ = false;
};

}  // namespace posenc::cli
