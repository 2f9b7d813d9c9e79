// json.cc: a JSON document as a tree.
#include "model/json.h"

#include <algorithm>
#include <cmath>

#include "base/json_reader.h"
#include "base/text.h"
#include "posenc/field.h"

namespace posenc::files {
namespace {

Json read_value(JsonReader& in) {
  switch (in.next()) {
    case JsonReader::Kind::object: {
      JsonObject out;
      in.object([&](std::string key) { out.emplace_back(std::move(key), read_value(in)); });
      return {std::move(out)};
    }
    case JsonReader::Kind::list: {
      JsonList out;
      in.list([&] { out.push_back(read_value(in)); });
      return {std::move(out)};
    }
    case JsonReader::Kind::text:
      return {in.text()};
    case JsonReader::Kind::boolean:
      return {in.boolean()};
    case JsonReader::Kind::null:
      return in.null(), Json{};
    case JsonReader::Kind::number:
      break;
  }
  const auto number = in.number();
  const auto* whole = std::get_if<int64_t>(&number);
  return whole ? Json{*whole} : Json{std::get<double>(number)};
}

std::string mended(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    out += length > 0 ? text.substr(0, length) : "\ufffd";
    text.remove_prefix(std::max<size_t>(length, 1));
  }
  return out;
}

struct Written {
  std::string operator()(std::monostate) const { return "null"; }
  std::string operator()(bool flag) const { return text::write(flag); }
  std::string operator()(int64_t whole) const { return text::write(whole); }
  std::string operator()(double real) const {
    if (!std::isfinite(real)) return "null";
    const std::string out = text::write(real);
    return out.find_first_of(".e") == out.npos ? out + ".0" : out;
  }
  std::string operator()(const std::string& text) const { return json_text(mended(text)); }
  std::string operator()(const JsonList& items) const {
    std::vector<std::string> all;
    for (const Json& item : items) all.push_back(write_json(item));
    return "[" + join(all, ",") + "]";
  }
  std::string operator()(const JsonObject& members) const {
    std::vector<std::string> all;
    for (const auto& [key, value] : members) all.push_back((*this)(key) + ":" + write_json(value));
    return "{" + join(all, ",") + "}";
  }
};

}  // namespace

const Json* Json::find(std::string_view key) const {
  const JsonObject* members = object();
  if (!members) return nullptr;
  const auto at = std::find_if(members->begin(), members->end(),
                               [&](const auto& member) { return member.first == key; });
  return at == members->end() || at->second.is_null() ? nullptr : &at->second;
}

Json& Json::operator[](std::string_view key) {
  if (!object()) value = JsonObject{};
  auto& members = std::get<JsonObject>(value);
  const auto at = std::find_if(members.begin(), members.end(),
                               [&](const auto& member) { return member.first == key; });
  return at != members.end() ? at->second : members.emplace_back(std::string(key), Json{}).second;
}

std::string write_json(const Json& json) { return std::visit(Written{}, json.value); }

Json parse_json(std::string_view where, std::string_view text) {
  JsonReader in(where, text, {.depth = 64, .python = true});
  Json out = read_value(in);
  in.end();
  return out;
}

std::string brief(const Json& json) {
  if (json.is_null()) return "null";
  if (const auto* flag = std::get_if<bool>(&json.value)) return *flag ? "true" : "false";
  if (const auto* whole = std::get_if<int64_t>(&json.value)) return text::write(*whole);
  if (const auto* real = std::get_if<double>(&json.value)) return text::write(*real);
  if (const auto* text = std::get_if<std::string>(&json.value)) return in_quotes(*text);
  if (const auto* members = json.object())
    return "{" + std::to_string(members->size()) + (members->size() == 1 ? " key}" : " keys}");
  constexpr size_t most = 6;
  std::string out = "[";
  const JsonList& items = *json.list();
  for (size_t i = 0; i < std::min(items.size(), most); ++i)
    out += (i > 0 ? ", " : "") + brief(items[i]);
  return out + (items.size() > most ? ", ... " + std::to_string(items.size()) + " in all]" : "]");
}

}  // namespace posenc::files
