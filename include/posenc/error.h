// error.h: what the library throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// What an error is about.
enum class ErrorKind : uint8_t {
  argument,  // a number or a position that a call cannot work with
  option,    // a scheme, an option or its value: what someone chose or typed
  tensor,    // its shape, element type or memory
  data,      // what a file holds
};

// Every error of the library: "[function] expected ..., got ...".
struct Error : std::runtime_error {
  ErrorKind kind;
  explicit Error(const std::string& text, ErrorKind about = ErrorKind::argument)
      : runtime_error(text), kind(about) {}
};

namespace detail {

// A sentence that grows; numbers have at most six digits, as streams print them.
class Sentence {
 public:
  explicit Sentence(std::string_view where);
  void append(std::string_view part);
  void append(char part);
  void append(double part);
  void append(int part);
  void append(long part);
  void append(long long part);
  void append(unsigned part);
  void append(unsigned long part);
  void append(unsigned long long part);
  [[noreturn]] void raise(ErrorKind kind) const;

 private:
  std::string text_;
};

}  // namespace detail

// Throws Error("[where] " + all parts, one after the other).
template <class... Parts>
[[noreturn]] void fail(ErrorKind kind, std::string_view where, const Parts&... parts) {
  detail::Sentence sentence(where);
  (sentence.append(parts), ...);
  sentence.raise(kind);
}
template <class... Parts>
[[noreturn]] void fail(std::string_view where, const Parts&... parts) {
  fail(ErrorKind::argument, where, parts...);
}

}  // namespace posenc
