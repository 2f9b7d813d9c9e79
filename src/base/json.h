// json.h: a JSON document as a tree, read and written.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace posenc::files {

struct Json;
using JsonList = std::vector<Json>;
struct JsonMember;
using JsonObject = std::vector<JsonMember>;  // in the order of the text

struct Json {
  std::variant<std::monostate, bool, int64_t, double, std::string, JsonList, JsonObject> value;

  // What makes or ends a value is in the .cc file: here JsonMember is not complete.
  Json();
  Json(std::nullptr_t);
  Json(bool flag);
  Json(int64_t whole);
  template <std::integral T>
  Json(T whole) : Json(static_cast<int64_t>(whole)) {}
  Json(double real);
  Json(const char* text);
  Json(std::string_view text);
  Json(std::string text);
  Json(JsonList items);
  Json(JsonObject members);
  Json(std::initializer_list<JsonMember> members);  // {{"name", "rope"}, {"dim", 64}}
  template <class T>
  Json(const std::vector<T>& items) : Json(JsonList(items.begin(), items.end())) {}

  Json(const Json&);
  Json(Json&&) noexcept;
  Json& operator=(const Json&);
  Json& operator=(Json&&) noexcept;
  ~Json();

  bool is_null() const { return value.index() == 0; }
  const JsonObject* object() const { return std::get_if<JsonObject>(&value); }
  const JsonList* list() const { return std::get_if<JsonList>(&value); }
  // A member that is there and not null.
  const Json* find(std::string_view key) const;
  // The member of that name of an object, which is made where it is not there; null becomes one.
  Json& operator[](std::string_view key);
  // The same for "outer.inner": the objects between are made too.
  Json& at_path(std::string_view names);
  void erase(std::string_view key);
  // Adds an item to a list; null becomes one.
  void push_back(Json item);
};

// Not std::pair, of which clang wants to know everything before Json is complete.
struct JsonMember {
  JsonMember(std::string key, Json json) : first(std::move(key)), second(std::move(json)) {}
  std::string first;
  Json second;
};

// Infinity and NaN are numbers, as Python writes them. Throws Error of kind data in the name of
// `where`, which begins with the label.
Json parse_json(std::string_view where, std::string_view text, std::string label = {});

// {"a":1,"b":2}; the same with blanks, {"a": 1, "b": 2}; or every member and item on a line of its
// own.
enum class JsonStyle : uint8_t { dense, spaced, indented };

// The tree as JSON text. Text that is no UTF-8 is mended, and a number that JSON has not is null.
std::string write_json(const Json& json, JsonStyle style = JsonStyle::dense);

// A number as it was typed: 10000 rather than 10000.0 where it is whole.
Json typed_number(double number);

// The value as text, cut where it is long: 10000, "yarn", [16, 24, 24], {3 keys}.
std::string brief(const Json& json);

}  // namespace posenc::files
