// json.h: a JSON document as a tree.
#pragma once

#include <cstdint>
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

  bool is_null() const { return value.index() == 0; }
  const JsonObject* object() const { return std::get_if<JsonObject>(&value); }
  const JsonList* list() const { return std::get_if<JsonList>(&value); }
  // A member that is there and not null.
  const Json* find(std::string_view key) const;
  // The member of that name of an object, which is made where it is not there; null becomes one.
  Json& operator[](std::string_view key);
};

// Not std::pair, of which clang wants to know everything before Json is complete.
struct JsonMember {
  JsonMember(std::string key, Json json) : first(std::move(key)), second(std::move(json)) {}
  std::string first;
  Json second;
};

// Infinity and NaN are numbers, as Python writes them. Throws Error of kind data in the name of
// `where`.
Json parse_json(std::string_view where, std::string_view text);

// The tree as JSON text on one line. Text that is no UTF-8 is mended, and a number that JSON has
// not is null.
std::string write_json(const Json& json);

// The value as text, cut where it is long: 10000, "yarn", [16, 24, 24], {3 keys}.
std::string brief(const Json& json);

}  // namespace posenc::files
