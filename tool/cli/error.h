// error.h: exit codes. 2: a usage error, of kind option, about the command line; 1: files and their
// content.
#pragma once

#include "posenc/error.h"

namespace posenc::cli {

constexpr int exit_code(ErrorKind kind) { return kind == ErrorKind::option ? 2 : 1; }

// Throws a usage error of all parts, one after the other.
template <class... Parts>
[[noreturn]] void refuse(const Parts&... parts) {
  fail(ErrorKind::option, "posenc", parts...);
}

[[noreturn]] inline void raise_as_usage_error(Error error) {
  error.kind = ErrorKind::option;
  throw error;
}

// Calls f; its errors become usage errors.
template <class F>
decltype(auto) as_usage_error(F&& f) {
  try {
    return f();
  } catch (const Error& error) {
    raise_as_usage_error(error);
  }
}

}  // namespace posenc::cli
