// json_reader.h: an incremental JSON reader for untrusted text.
//
//   JsonReader json("read", text, {.depth = 8});
//   json.object([&](const std::string& key) { use(key, json.number()); });
//   json.end();
//
// Strict but for what Python writes: bare Infinity, -Infinity and NaN are numbers where they are
// allowed. Keys that come twice, text that is no UTF-8, deep nesting and numbers out of range are
// refused; every fault is named with its place.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <variant>

#include "posenc/error.h"

namespace posenc::files {

class JsonReader {
 public:
  struct Rules {
    int depth = 64;             // objects and lists inside each other
    bool python = false;        // Infinity and NaN
    size_t members = SIZE_MAX;  // of one object
    std::string label{};        // what every fault begins with: "file.json: "
  };
  enum class Kind : uint8_t { object, list, text, number, boolean, null };
  using Number = std::variant<int64_t, double>;  // whole when it is written so and fits

  // Faults are of that kind, in the name of `where`.
  JsonReader(std::string_view where, std::string_view text, const Rules& rules,
             ErrorKind kind = ErrorKind::data)
      : where_(where), text_(text), rules_(rules), kind_(kind) {}

  // What comes next.
  Kind next();

  // Calls f with each key; f reads the value.
  template <class F>
  void object(F&& f) {
    enter('{', "an object, '{'");
    std::set<std::string, std::less<>> seen;
    if (!ends('}')) {
      do f(key(seen));
      while (another('}'));
    }
    --depth_;
  }
  // Calls f for each item; f reads it.
  template <class F>
  void list(F&& f) {
    enter('[', "a list, '['");
    if (!ends(']')) {
      do f();
      while (another(']'));
    }
    --depth_;
  }
  std::string text();
  Number number();
  double real();
  std::optional<int64_t> natural();  // a whole number of 0 and more; where it is none, it stays
  bool boolean();
  void null();
  void end();  // of the text

  // "expected WANTED at byte N, got ..."
  [[noreturn]] void unexpected(std::string_view wanted);

 private:
  void blank();
  bool take(std::string_view word);
  void enter(char bracket, std::string_view wanted);
  bool ends(char bracket);
  bool another(char bracket);
  std::string key(std::set<std::string, std::less<>>& seen);
  void escaped(std::string& out);
  unsigned code_unit();
  void check_utf8(std::string_view bytes, size_t at);
  template <class... Parts>
  [[noreturn]] void refuse(const Parts&... parts) {
    fail(kind_, where_, rules_.label, parts...);
  }

  std::string where_;
  std::string_view text_;
  Rules rules_;
  ErrorKind kind_;
  size_t at_ = 0;
  int depth_ = 0;
};

// The text as JSON writes it, in quotes.
std::string json_text(std::string_view text);

}  // namespace posenc::files
