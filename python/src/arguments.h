// arguments.h: numbers, words and flags as Python hands them over, and a sentence for anything
// else.
#pragma once

#include <algorithm>
#include <optional>

#include "given.h"

namespace posenc::python {

enum class Read { fine, wrong, beyond };

// The number, word or flag that an object is. No errors of Python are left behind.
Read read(nb::handle object, int64_t& out) noexcept;
Read read(nb::handle object, double& out) noexcept;
Read read(nb::handle object, bool& out) noexcept;
Read read(nb::handle object, std::string_view& out) noexcept;
inline Read read(nb::handle object, int& out) noexcept {
  int64_t wide = 0;
  const Read found = read(object, wide);
  out = static_cast<int>(wide);
  return found == Read::fine && out != wide ? Read::beyond : found;
}
template <class T>
Read read(nb::handle object, std::optional<T>& out) noexcept {
  return object.is_none() ? Read::fine : read(object, out.emplace());
}

[[noreturn]] void refuse_whole(const char* name, Read why, nb::handle object);
[[noreturn]] void refuse_number(const char* name, nb::handle object);
[[noreturn]] void refuse_flag(const char* name, nb::handle object);
[[noreturn]] void refuse_word(const char* name, nb::handle object);

template <size_t n>
struct Name {
  char text[n];
  consteval Name(const char (&word)[n]) { std::copy_n(word, n, text); }
};

// An argument of that name. It is read when the call begins, and refused where it is used.
template <class T, Name name>
class Argument {
 public:
  Argument() = default;
  explicit Argument(nb::handle object) noexcept : object_(object), found_(read(object, value_)) {}
  operator T() const {
    if (found_ == Read::fine) return value_;
    if constexpr (std::is_same_v<T, bool>)
      refuse_flag(name.text, object_);
    else if constexpr (std::is_same_v<T, std::string_view>)
      refuse_word(name.text, object_);
    else if constexpr (std::is_same_v<T, double> || std::is_same_v<T, std::optional<double>>)
      refuse_number(name.text, object_);
    else
      refuse_whole(name.text, found_, object_);
  }

 private:
  nb::handle object_{};
  T value_{};
  Read found_ = Read::wrong;
};

template <Name name>
using Whole = Argument<int64_t, name>;
template <Name name>
using WholeOrNone = Argument<std::optional<int64_t>, name>;
template <Name name>
using Number = Argument<double, name>;
template <Name name>
using NumberOrNone = Argument<std::optional<double>, name>;
template <Name name>
using Flag = Argument<bool, name>;
template <Name name>
using Word = Argument<std::string_view, name>;

// None too reaches what has a sentence for it.
inline auto arg(const char* name) { return nb::arg(name).none(); }

}  // namespace posenc::python

namespace nanobind::detail {

template <class T, posenc::python::Name name>
struct type_caster<posenc::python::Argument<T, name>> {
  using Type = posenc::python::Argument<T, name>;
  NB_TYPE_CASTER(Type, const_name("object"))
  bool from_python(handle object, uint8_t, cleanup_list*) noexcept {
    value = Type(object);
    return true;
  }
};

}  // namespace nanobind::detail
