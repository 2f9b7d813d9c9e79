// options_json.cc: a strict reader and a writer of options as JSON.
#include "options_json.h"

#include <algorithm>

#include "base/json_reader.h"
#include "posenc/scheme.h"

namespace posenc {
namespace {

using files::JsonReader;
using Settings = std::vector<std::pair<std::string, Value>>;

Value read_number(JsonReader& json) {
  const auto number = json.number();
  return std::visit([](auto n) { return Value(n); }, number);
}

Value read_value(JsonReader& json) {
  switch (json.next()) {
    case JsonReader::Kind::text:
      return json.text();
    case JsonReader::Kind::boolean:
      return json.boolean();
    case JsonReader::Kind::null:
      return json.null(), Value{};
    case JsonReader::Kind::list: {
      std::vector<double> out;
      json.list([&] { out.push_back(json.real()); });
      return out;
    }
    default:
      return read_number(json);
  }
}

// The options inside are called `prefix` + name; "type" is the value of the option itself, and
// comes first.
void read_object(JsonReader& json, const std::string& prefix, Settings& out) {
  const size_t first = out.size();
  const auto add = [&](size_t at, const std::string& option, const Value& value) {
    for (const auto& other : out)
      if (other.first == option) fail("json", "expected ", option, " once, got it again");
    out.insert(out.begin() + static_cast<int64_t>(at), {option, value});
  };
  json.object([&](const std::string& name) {
    const bool type = !prefix.empty() && name == "type";
    if (type && json.next() != JsonReader::Kind::text)
      json.unexpected("the name of a type, in quotes");
    if (type) return add(first, prefix.substr(0, prefix.size() - 1), json.text());
    if (json.next() == JsonReader::Kind::object) return read_object(json, prefix + name + ".", out);
    add(out.size(), prefix + name, read_value(json));
  });
  if (!prefix.empty() && out.size() == first)
    fail("json", "expected a type or options in ", prefix.substr(0, prefix.size() - 1),
         ", got an empty object");
}

// Whether its choices have options of their own.
bool has_inside(const Option& option, const std::vector<Option>& options) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& o) { return o.only_with.option == option.name; });
}

}  // namespace

std::vector<std::pair<std::string, Value>> read_json(std::string_view json) {
  JsonReader reader("json", json, {.depth = 8, .members = 1000}, ErrorKind::argument);
  Settings out;
  read_object(reader, "", out);
  reader.end();
  return out;
}

files::Json value_tree(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> files::Json {
        if constexpr (std::is_same_v<T, std::monostate>) {
          return {};
        } else if constexpr (std::is_same_v<T, double>) {
          return files::typed_number(v);
        } else if constexpr (std::is_same_v<T, std::vector<double>>) {
          files::JsonList out;
          for (const double number : v) out.push_back(files::typed_number(number));
          return out;
        } else {
          return v;
        }
      },
      value);
}

files::Json options_tree(const std::vector<Option>& options) {
  files::Json out{files::JsonObject{}};
  for (const Option& o : options) {
    if (!is_taken(o, options)) continue;
    files::Json& at = out.at_path(o.name);
    (has_inside(o, options) ? at["type"] : at) = value_tree(o.value);
  }
  return out;
}

std::string to_json(const std::vector<Option>& options) {
  return files::write_json(options_tree(options));
}

}  // namespace posenc
