// field.h: the options of a scheme, declared in one place.
//
// A scheme is an aggregate whose fields() lists every option: name, member, help. The command line,
// JSON, the documentation and all bindings use that list, so an option added to a struct appears in
// all of them. A field may be an integer, a number, a boolean, an enum, text, a list of numbers, an
// optional of those, a nested aggregate (its options are "outer.inner") or a variant of aggregates
// ("rule" selects one by name, "rule.base" is an option of the selected one).
#pragma once

#include "posenc/tensor.h"
#include "posenc/type.h"

namespace POSENC_PUBLIC posenc {

// A named value of a scheme; further options override its fields.
template <class S>
struct Preset {
  std::string_view name, help;
  S value;
};

// The value of an option; std::monostate: none. A choice is stored as its name.
using Value = std::variant<std::monostate, bool, int64_t, double, std::string, std::vector<double>>;
enum class OptionKind : uint8_t { integer, number, boolean, choice, list, text };
constexpr auto enum_names(OptionKind) {
  return std::to_array<std::string_view>(
      {"integer", "number", "boolean", "choice", "list", "text"});
}

// An option is read only if `option` has the value `choice`; always if that is empty.
struct Condition {
  std::string option{}, choice{};
  bool operator==(const Condition&) const = default;
};

// The description of one option.
struct Option {
  std::string name{};  // "base", "rule.max_timescale"
  OptionKind kind{};
  std::string help{};
  Value value{};                       // its current value
  std::vector<std::string> choices{};  // for kind choice
  Condition only_with{};
  std::string learned{};  // the value, as text, that adds learned weights to the scheme
  std::vector<std::string> families{};  // families whose schemes read it; empty: all
};

// Whether the option is read, given the values of the options before it in the list.
bool is_taken(const Option& option, const std::vector<Option>& list);

std::string join(const std::vector<std::string>& parts, std::string_view between);
// The candidate nearest to a misspelt word, or "" if none is near.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean 'x'?" or the list of valid words.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// Checks shared by the schemes: "[scheme] expected option ..., got ...".
inline constexpr int64_t max_size = 1 << 20;
void check_size(std::string_view scheme, std::string_view option, int64_t value);  // 1 .. max_size
void check_finite(std::string_view scheme, std::string_view option, double value);
void check_positive(std::string_view scheme, std::string_view option, double value);
void check_offset(std::string_view scheme, int64_t value);  // within 2^53

namespace text {  // conversion of values to text and back; numbers round-trip

void read(std::string_view option, std::string_view text, int64_t& value);
void read(std::string_view option, std::string_view text, double& value);
void read(std::string_view option, std::string_view text, bool& value);
void read(std::string_view option, std::string_view text, std::string& value);
void read(std::string_view option, std::string_view text, std::vector<double>& value);
std::string write(int value);
std::string write(long value);
std::string write(long long value);
std::string write(double value);
std::string write(float value);
std::string write(bool value);
std::string write(const std::vector<double>& value);
std::string write(const Value& value);  // nothing is ""

}  // namespace text

// The same for values of any type, behind a pointer. Sets the option at `path` below the object;
// `option` is its full name, for messages. Text is parsed according to the option's kind.
void set_text(const Type& type, void* object, std::string_view option, std::string_view path,
              std::string_view text);
void set_value(const Type& type, void* object, std::string_view option, const Value& value);
std::vector<Option> options_of(const Type& type, const void* object);
// Throws Error unless every enum below the object has a valid value.
void check_choices(std::string_view where, const Type& type, const void* object,
                   std::string_view option);

template <class T>
void set_option(T& value, std::string_view option, std::string_view path, std::string_view text) {
  set_text(type_of<T>, &value, option, path, text);
}
// Every option of an aggregate with its current value.
template <Aggregate T>
std::vector<Option> options_of(const T& object) {
  return options_of(type_of<T>, &object);
}
template <class T>
void check_choices(std::string_view where, const T& value, std::string_view option = {}) {
  check_choices(where, type_of<T>, &value, option);
}

// Calls f with a default value of each alternative of the variant V.
template <Variant V, class F, size_t... I>
constexpr void for_each_alternative(F&& f, std::index_sequence<I...>) {
  (f(std::variant_alternative_t<I, V>{}), ...);
}
template <Variant V, class F>
constexpr void for_each_alternative(F&& f) {
  for_each_alternative<V>(f, std::make_index_sequence<std::variant_size_v<V>>());
}
template <Variant V>
std::vector<std::string> alternative_names() {
  return {names_of<V>.begin(), names_of<V>.end()};
}
template <Variant V>
std::string_view alternative_name(const V& v) {
  return names_of<V>[v.index()];
}
template <Enum E>
std::vector<std::string> enum_choices() {
  return {names_of<E>.begin(), names_of<E>.end()};
}
template <Enum E>
std::string_view enum_name(E e) {
  const auto at = static_cast<size_t>(e);
  return at < names_of<E>.size() ? names_of<E>[at] : "unknown";
}

}  // namespace posenc
