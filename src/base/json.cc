// json.cc: a JSON document as a tree.
#include "base/json.h"

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
      return out;
    }
    case JsonReader::Kind::list: {
      JsonList out;
      in.list([&] { out.push_back(read_value(in)); });
      return out;
    }
    case JsonReader::Kind::text:
      return in.text();
    case JsonReader::Kind::boolean:
      return in.boolean();
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

// With a point or an exponent, so that it is read as a real number again.
std::string real_text(double real) {
  if (!std::isfinite(real)) return "null";
  std::string out = text::write(real);
  const bool ends = out.ends_with("e-04");  // five digits, whatever the shortest form is
  if (ends) out = (real < 0 ? "-0.000" : "0.000") + out.substr(out.size() - 5, 1);
  return out.find_first_of(".e") == out.npos ? out + ".0" : out;
}

class Writer {
 public:
  explicit Writer(JsonStyle style) : style_(style) {}
  std::string text() && { return std::move(out_); }

  void operator()(std::monostate) { out_ += "null"; }
  void operator()(bool flag) { out_ += text::write(flag); }
  void operator()(int64_t whole) { out_ += text::write(whole); }
  void operator()(double real) { out_ += real_text(real); }
  void operator()(const std::string& text) { out_ += json_text(mended(text)); }
  void operator()(const JsonList& items) {
    each('[', items, ']', [&](const Json& item) { std::visit(*this, item.value); });
  }
  void operator()(const JsonObject& members) {
    each('{', members, '}', [&](const JsonMember& member) {
      (*this)(member.first);
      out_ += style_ == JsonStyle::dense ? ":" : ": ";
      std::visit(*this, member.second.value);
    });
  }

 private:
  void line() {
    if (style_ == JsonStyle::indented) out_.append(1, '\n').append(2 * depth_, ' ');
  }
  template <class List, class F>
  void each(char open, const List& all, char close, const F& write) {
    out_ += open;
    ++depth_;
    for (const auto& one : all) {
      if (&one != &all.front()) out_ += style_ == JsonStyle::spaced ? ", " : ",";
      line();
      write(one);
    }
    --depth_;
    if (!all.empty()) line();
    out_ += close;
  }

  JsonStyle style_;
  size_t depth_ = 0;
  std::string out_{};
};

}  // namespace

Json::Json() = default;
Json::Json(std::nullptr_t) {}
Json::Json(bool flag) : value(flag) {}
Json::Json(int64_t whole) : value(whole) {}
Json::Json(double real) : value(real) {}
Json::Json(const char* text) : value(std::string(text)) {}
Json::Json(std::string_view text) : value(std::string(text)) {}
Json::Json(std::string text) : value(std::move(text)) {}
Json::Json(const Json&) = default;
Json::Json(Json&&) noexcept = default;
Json& Json::operator=(const Json&) = default;
Json& Json::operator=(Json&&) noexcept = default;
Json::~Json() = default;
Json::Json(JsonList items) : value(std::move(items)) {}
Json::Json(JsonObject members) : value(std::move(members)) {}
Json::Json(std::initializer_list<JsonMember> members) : value(JsonObject(members)) {}

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

Json& Json::at_path(std::string_view names) {
  Json* at = this;
  for (size_t dot; (dot = names.find('.')) != names.npos; names.remove_prefix(dot + 1))
    at = &(*at)[names.substr(0, dot)];
  return (*at)[names];
}

void Json::erase(std::string_view key) {
  std::erase_if(std::get<JsonObject>(value),
                [&](const auto& member) { return member.first == key; });
}

void Json::push_back(Json item) {
  if (is_null()) value = JsonList{};
  std::get<JsonList>(value).push_back(std::move(item));
}

std::string write_json(const Json& json, JsonStyle style) {
  Writer out(style);
  std::visit(out, json.value);
  return std::move(out).text();
}

Json typed_number(double number) {
  constexpr double most = 1e15;
  if (number == std::trunc(number) && std::abs(number) < most) return static_cast<int64_t>(number);
  return number;
}

Json parse_json(std::string_view where, std::string_view text, std::string label) {
  JsonReader in(where, text, {.depth = 64, .python = true, .label = std::move(label)});
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
