// error.h: whose fault an error is. Exit code 2: what was typed; 1: files and their content.
#pragma once

#include "posenc/tensor.h"

namespace posenc::cli {

struct UsageError : Error {
  using Error::Error;
};

// Throws UsageError with all parts, one after the other.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  std::ostringstream text;
  (text << ... << parts);
  throw UsageError(text.str());
}

// Calls f, whose errors are the fault of what was typed.
template <class F>
decltype(auto) typed(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    throw UsageError(error.what());
  }
}

}  // namespace posenc::cli
