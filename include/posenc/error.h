// error.h: the exception that the library throws.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// The kind of mistake.
enum class ErrorKind : uint8_t {
  argument,  // a number or a position that is not valid in this call
  option,    // a scheme name, an option or its value
  tensor,    // its shape, element type or memory
  data,      // the content of a file
};

namespace detail {
class Sentence;
}

// Every error of the library. what() is "[where] sentence": "[rotate] expected ..., got ...".
struct Error : std::runtime_error {
  ErrorKind kind;
  explicit Error(const std::string& text, ErrorKind about = ErrorKind::argument)
      : runtime_error(text), kind(about) {}
  std::string_view where() const { return part(where_); }  // the function or scheme, or ""
  std::string_view sentence() const { return std::string_view(what()).substr(sentence_); }
  // The name of the unknown option, if that is the error, or "".
  std::string_view unknown_option() const { return part(unknown_); }

 private:
  friend class detail::Sentence;
  struct Part {
    size_t begin = 0, size = 0;
  };
  std::string_view part(Part p) const { return std::string_view(what()).substr(p.begin, p.size); }
  Part where_, unknown_;
  size_t sentence_ = 0;
};

namespace detail {

struct UnknownOption {
  std::string_view name;
};

// Builds a message; numbers have at most six digits, as streams print them.
class Sentence {
 public:
  explicit Sentence(std::string_view where);
  void append(std::string_view part);
  void append(UnknownOption part);
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
  Error::Part where_, unknown_;
  size_t sentence_;
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
