// field.h: the options of a scheme, said once.
//
// A scheme is an aggregate whose fields() lists every option: name, member, help. The command line,
// JSON, the docs table and every binding walk that list, so an option added to a struct appears in
// all of them. A field may be an integer, a number, a boolean, an enum, text, a list of numbers, an
// optional of those, a nested aggregate (its options are "outer.inner") or a variant of aggregates
// ("rule" picks one by name, "rule.base" is an option of the one picked).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <variant>
#include <vector>

#include "posenc/tensor.h"

namespace POSENC_PUBLIC posenc {

template <class S, class T>
struct Field {
  std::string_view name;
  T S::*member;
  std::string_view help;
};
template <class S, class T>
Field(std::string_view, T S::*, std::string_view) -> Field<S, T>;

// A named value of a scheme; options then refine it.
template <class S>
struct Preset {
  std::string_view name, help;
  S value;
};

// What a person or a program may know about one option.
struct Option {
  std::string name;  // "base", "rule.max_timescale"
  std::string kind;  // integer, number, boolean, choice, list, text
  std::string help;
  std::string value;                 // the value it has now, as text; empty when it has none
  std::vector<std::string> choices;  // for kind "choice"
  std::string only_with;             // "rule timescales": read only when that is picked
};

std::string join(const std::vector<std::string>& parts, std::string_view between);
// The candidate nearest to a misspelt word, or "" when none is near.
std::string closest(std::string_view word, const std::vector<std::string>& candidates);
// "; did you mean 'x'?" or the list of what exists.
std::string suggestion(std::string_view word, const std::vector<std::string>& candidates);

// Checks shared by the schemes: "[scheme] expected option ..., got ...".
inline constexpr int64_t max_size = 1 << 20;
void check_size(std::string_view scheme, std::string_view option, int64_t value);  // 1 .. max_size
void check_finite(std::string_view scheme, std::string_view option, double value);
void check_positive(std::string_view scheme, std::string_view option, double value);
void check_offset(std::string_view scheme, int64_t value);  // within 2^53

namespace text {  // one spelling of a value: text -> value and back; numbers round-trip

void read(std::string_view option, std::string_view text, int64_t& value);
void read(std::string_view option, std::string_view text, double& value);
void read(std::string_view option, std::string_view text, bool& value);
void read(std::string_view option, std::string_view text, std::string& value);
void read(std::string_view option, std::string_view text, std::vector<double>& value);
std::string write(int64_t value);
std::string write(double value);
std::string write(float value);
std::string write(bool value);
std::string write(const std::string& value);
std::string write(const std::vector<double>& value);

}  // namespace text

template <class T>
concept Aggregate = requires {
  T::fields();
};
template <class T>
concept Enum = std::is_enum_v<T>;
template <class T>
struct is_variant : std::false_type {};
template <class... A>
struct is_variant<std::variant<A...>> : std::true_type {};
template <class T>
concept Variant = is_variant<T>::value;
template <class T>
struct is_optional : std::false_type {};
template <class T>
struct is_optional<std::optional<T>> : std::true_type {};

template <class S, class F>
constexpr void for_each_field(F&& f) {
  std::apply([&](const auto&... field) { (f(field), ...); }, S::fields());
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
  std::vector<std::string> names;
  for_each_alternative<V>([&](const auto& a) { names.emplace_back(a.name); });
  return names;
}
template <Variant V>
std::string_view alternative_name(const V& v) {
  return std::visit([](const auto& a) { return a.name; }, v);
}
template <Enum E>
std::vector<std::string> enum_choices() {
  std::vector<std::string> names;
  for (std::string_view n : enum_names(E{})) names.emplace_back(n);
  return names;
}
template <Enum E>
std::string_view enum_name(E e) {
  const auto names = enum_names(e);
  const auto at = static_cast<size_t>(e);
  return at < names.size() ? names[at] : "unknown";
}

// Sets the option at `path` below `value`; `option` is its full name, for messages.
template <class T>
void set_option(T& value, std::string_view option, std::string_view path, std::string_view text) {
  const auto no_inner = [&] {
    if (!path.empty())
      fail(ErrorKind::option, "options", "'", option, "' has no option '", path, "' inside it");
  };
  if constexpr (Aggregate<T>) {
    const auto dot = path.find('.');
    const auto head = path.substr(0, dot);
    const auto rest = dot == path.npos ? std::string_view{} : path.substr(dot + 1);
    bool found = false;
    std::vector<std::string> names;
    for_each_field<T>([&](const auto& field) {
      names.emplace_back(field.name);
      if (field.name != head) return;
      found = true;
      set_option(value.*field.member, option, rest, text);
    });
    if (!found)
      fail(ErrorKind::option, "options", "unknown option '", option, "'",
           names.empty() ? "; what it belongs to has no options" : suggestion(head, names));
  } else if constexpr (Variant<T>) {
    if (!path.empty()) {
      std::visit([&](auto& inner) { set_option(inner, option, path, text); }, value);
      return;
    }
    bool found = false;
    for_each_alternative<T>([&](const auto& a) {
      if (a.name == text) value = a, found = true;
    });
    if (!found)
      fail(ErrorKind::option, "options", "expected ", option, " to name a choice, got '", text, "'",
           suggestion(text, alternative_names<T>()));
  } else if constexpr (is_optional<T>::value) {
    no_inner();
    set_option(value.emplace(), option, path, text);
  } else if constexpr (Enum<T>) {
    no_inner();
    const auto names = enum_names(value);
    for (size_t i = 0; i < names.size(); ++i)
      if (names[i] == text) return void(value = static_cast<T>(i));
    fail(ErrorKind::option, "options", "expected ", option, " to name a choice, got '", text, "'",
         suggestion(text, enum_choices<T>()));
  } else {
    no_inner();
    text::read(option, text, value);
  }
}

template <class T>
void list_options(const T& object, const std::string& prefix, const std::string& only_with,
                  std::vector<Option>& out);

template <class T>
void list_option(const T& value, const std::string& name, std::string_view help,
                 const std::string& only_with, std::vector<Option>& out) {
  Option o{name, "", std::string(help), "", {}, only_with};
  if constexpr (Aggregate<T>) {
    return list_options(value, name + ".", only_with, out);
  } else if constexpr (Variant<T>) {
    o.kind = "choice", o.choices = alternative_names<T>();
    o.value = alternative_name(value);
    out.push_back(o);
    for_each_alternative<T>([&](const auto& a) {
      using A = std::remove_cvref_t<decltype(a)>;
      const A* now = std::get_if<A>(&value);
      list_options(now ? *now : a, name + ".", name + " " + std::string(a.name), out);
    });
    return;
  } else if constexpr (is_optional<T>::value) {
    list_option(value.value_or(typename T::value_type{}), name, help, only_with, out);
    if (!value) out.back().value.clear();
    return;
  } else if constexpr (Enum<T>) {
    o.kind = "choice", o.choices = enum_choices<T>(), o.value = enum_name(value);
  } else {
    constexpr bool boolean = std::is_same_v<T, bool>, list = std::is_same_v<T, std::vector<double>>;
    o.kind = boolean                       ? "boolean"
             : std::is_integral_v<T>       ? "integer"
             : std::is_floating_point_v<T> ? "number"
             : list                        ? "list"
                                           : "text";
    o.value = text::write(value);
  }
  out.push_back(o);
}

template <class T>
void list_options(const T& object, const std::string& prefix, const std::string& only_with,
                  std::vector<Option>& out) {
  for_each_field<T>([&](const auto& field) {
    list_option(object.*field.member, prefix + std::string(field.name), field.help, only_with, out);
  });
}

// Every option of an aggregate with the value it has now.
template <Aggregate T>
std::vector<Option> options_of(const T& object) {
  std::vector<Option> out;
  list_options(object, "", "", out);
  return out;
}

}  // namespace posenc
