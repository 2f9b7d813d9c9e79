// json.cc: a strict reader and a writer of options as JSON.
#include "json.h"

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

std::string value_json(const Option& option) {
  if (option.value.index() == 0) return "null";
  const std::string text = text::write(option.value);
  if (option.kind == OptionKind::choice || option.kind == OptionKind::text)
    return files::json_text(text);
  return option.kind == OptionKind::list ? "[" + text + "]" : text;
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

std::string to_json(const std::vector<Option>& options) {
  std::string out = "{";
  std::vector<std::string> open{""};  // what the names in each open object begin with
  for (const Option& o : options) {
    if (!is_taken(o, options)) continue;
    for (; !o.name.starts_with(open.back()); open.pop_back()) out += '}';
    if (out.back() != '{') out += ',';
    for (size_t dot; (dot = o.name.find('.', open.back().size())) != o.name.npos;) {
      const size_t begin = open.back().size();
      out += files::json_text(o.name.substr(begin, dot - begin)) + ":{";
      open.push_back(o.name.substr(0, dot + 1));
    }
    out += files::json_text(o.name.substr(open.back().size())) + ':';
    if (has_inside(o, options)) out += "{\"type\":", open.push_back(o.name + ".");
    out += value_json(o);
  }
  return out + std::string(open.size(), '}');
}

}  // namespace posenc
