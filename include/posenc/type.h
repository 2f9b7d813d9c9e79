// type.h: run-time type information on the members of a scheme.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "posenc/export.h"

namespace POSENC_PUBLIC posenc {

// The names of an enum's values: constexpr auto enum_names(Order) { return names({"a", "b"}); }
template <size_t n>
constexpr std::array<std::string_view, n> names(const std::string_view (&list)[n]) {
  return std::to_array(list);
}

struct Field;
using Fields = std::vector<Field>;

// The type of a member; one object type_of<T> for each type, shared by all schemes.
struct Type {
  enum class Form : uint8_t {
    integer,
    number,
    boolean,
    choice,
    list,
    text,  // like OptionKind
    optional,
    aggregate,
    variant
  } form;
  std::span<const std::string_view> names{};     // choice, variant: names of the alternatives
  std::span<const Type* const> inner{};          // optional: its type; variant: all types
  size_t (*picked)(const void*) = nullptr;       // choice, variant: current index; optional: 0 or 1
  void (*pick)(void*, size_t) = nullptr;         // sets it; a new alternative has default values
  const void* (*inside)(const void*) = nullptr;  // the value in an optional or a variant, or null
  Fields (*fields)() = nullptr;                  // aggregate
  const void* (*usual)() = nullptr;              // aggregate: one with default values
};

template <class T>
concept Aggregate = requires {
  T::fields();
};
template <class T>
concept Enum = std::is_enum_v<T>;
template <class T>
concept Variant = requires {
  std::variant_size<T>::value;
};

template <class E>
inline constexpr auto names_of = enum_names(E{});
template <class... A>
inline constexpr std::array<std::string_view, sizeof...(A)> names_of<std::variant<A...>>{
    A::name...};

template <class T>
const T& usual() {
  static const T value{};
  return value;
}

template <class T>
struct MakeType;
template <class T>
inline constexpr Type type_of = MakeType<T>::type();
template <class... T>
inline constexpr const Type* types_of[] = {&type_of<T>...};

template <Type::Form form>
struct MakePlain {
  static constexpr Type type() { return {form}; }
};
template <>
struct MakeType<int64_t> : MakePlain<Type::Form::integer> {};
template <>
struct MakeType<double> : MakePlain<Type::Form::number> {};
template <>
struct MakeType<bool> : MakePlain<Type::Form::boolean> {};
template <>
struct MakeType<std::string> : MakePlain<Type::Form::text> {};
template <>
struct MakeType<std::vector<double>> : MakePlain<Type::Form::list> {};
template <Enum E>
struct MakeType<E> {
  static size_t picked(const void* at) { return static_cast<size_t>(*static_cast<const E*>(at)); }
  static void pick(void* at, size_t i) { *static_cast<E*>(at) = static_cast<E>(i); }
  static constexpr Type type() { return {Type::Form::choice, names_of<E>, {}, picked, pick}; }
};
template <class T>
struct MakeType<std::optional<T>> {
  using O = std::optional<T>;
  static size_t picked(const void* at) { return static_cast<const O*>(at)->has_value(); }
  static void pick(void* at, size_t i) { *static_cast<O*>(at) = i ? O(T{}) : O(); }
  static const void* inside(const void* at) {
    return picked(at) ? &**static_cast<const O*>(at) : nullptr;
  }
  static constexpr Type type() {
    return {Type::Form::optional, {}, types_of<T>, picked, pick, inside};
  }
};
template <class... A>
struct MakeType<std::variant<A...>> {
  using V = std::variant<A...>;
  static size_t picked(const void* at) { return static_cast<const V*>(at)->index(); }
  static void pick(void* at, size_t i) {
    size_t n = 0;
    ((n++ == i ? void(static_cast<V*>(at)->template emplace<A>()) : void()), ...);
  }
  static const void* inside(const void* at) {
    const void* out = nullptr;
    ((out = out ? out : std::get_if<A>(static_cast<const V*>(at))), ...);
    return out;
  }
  static constexpr Type type() {
    return {Type::Form::variant, names_of<V>, types_of<A...>, picked, pick, inside};
  }
};
template <Aggregate T>
struct MakeType<T> {
  static const void* usual() { return &posenc::usual<T>(); }
  static constexpr Type type() {
    return {Type::Form::aggregate, {}, {}, nullptr, nullptr, nullptr, &T::fields, usual};
  }
};

// One option of an aggregate S. `learned`: the value, as text, that adds learned weights;
// `families`: the families whose schemes read it, if not all do.
struct Field {
  std::string_view name, help, learned;
  std::vector<std::string_view> families{};
  const Type* type;
  size_t offset;  // of the member

  template <class S, class T>
  Field(std::string_view n, T S::*member, std::string_view h, std::string_view l = {})
      : name(n), help(h), learned(l), type(&type_of<T>) {
    const auto* object = reinterpret_cast<const char*>(&usual<S>());
    offset = static_cast<size_t>(reinterpret_cast<const char*>(&(usual<S>().*member)) - object);
  }
  Field of(std::vector<std::string_view> readers) && {
    families = std::move(readers);
    return std::move(*this);
  }
};

// The fields of some base classes of S, followed by its own.
template <class S, class... Bases>
Fields base_fields(const Fields& own = {}) {
  Fields out;
  const auto add = [&]<class B>(const B& base) {
    const auto* object = reinterpret_cast<const char*>(&usual<S>());
    for (Field f : B::fields()) {
      f.offset += static_cast<size_t>(reinterpret_cast<const char*>(&base) - object);
      out.push_back(f);
    }
  };
  (add(static_cast<const Bases&>(usual<S>())), ...);
  out.insert(out.end(), own.begin(), own.end());
  return out;
}

}  // namespace posenc
