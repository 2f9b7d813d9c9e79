// json.cc: a strict reader and a writer of options as JSON.
#include "json.h"

#include <algorithm>
#include <charconv>

#include "posenc/scheme.h"

namespace posenc {
namespace {

constexpr int max_depth = 8;
constexpr size_t max_members = 1000;

using Settings = std::vector<std::pair<std::string, Value>>;

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  Settings read() {
    Settings out;
    object("", 1, out);
    skip();
    if (at_ < text_.size()) unexpected("the end");
    return out;
  }

 private:
  [[noreturn]] void unexpected(std::string_view wanted) const {
    if (at_ >= text_.size()) fail("json", "expected ", wanted, ", got the end of the text");
    fail("json", "expected ", wanted, " at byte ", at_, ", got '",
         text_.substr(at_, std::min<size_t>(text_.size() - at_, 12)), "'");
  }
  void skip() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }
  bool next_is(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool take(std::string_view word) {
    skip();
    if (!text_.substr(at_).starts_with(word)) return false;
    at_ += word.size();
    return true;
  }

  // What comes after one of a list, until it ends: whether another follows.
  bool another(char end) {
    if (take({&end, 1})) return false;
    if (!take(",")) unexpected(std::string("',' or '") + end + "'");
    return true;
  }

  // {"name": value, ...}; the options inside are called `prefix` + name.
  void object(const std::string& prefix, int depth, Settings& out) {
    if (!take("{")) unexpected("an object, '{'");
    if (depth > max_depth) fail("json", "expected at most ", max_depth, " objects inside another");
    const size_t first = out.size();
    if (depth == 1 && take("}")) return;
    do {
      skip();
      const std::string name = string();
      if (!take(":")) unexpected("':'");
      member(prefix, name, depth, first, out);
    } while (another('}'));
  }

  void member(const std::string& prefix, const std::string& name, int depth, size_t first,
              Settings& out) {
    const bool type = depth > 1 && name == "type";  // of the option that the object belongs to
    const std::string option = type ? prefix.substr(0, prefix.size() - 1) : prefix + name;
    for (const auto& other : out)
      if (other.first == option) fail("json", "expected ", option, " once, got it again");
    if (out.size() >= max_members) fail("json", "expected at most ", max_members, " members");
    skip();
    if (type && !next_is('"')) unexpected("the name of a type, in quotes");
    if (next_is('{')) return object(option + ".", depth + 1, out);
    const auto where = type ? out.begin() + static_cast<int64_t>(first) : out.end();
    out.insert(where, {option, value()});
  }

  Value value() {
    skip();
    if (next_is('"')) return string();
    if (take("true")) return true;
    if (take("false")) return false;
    if (take("null")) return {};
    if (!take("[")) return number();
    std::vector<double> out;
    if (take("]")) return out;
    do {
      const Value v = number();
      const auto* whole = std::get_if<int64_t>(&v);
      out.push_back(whole ? static_cast<double>(*whole) : std::get<double>(v));
    } while (another(']'));
    return out;
  }

  // Whole when it is written so and fits; -0 is no whole number.
  Value number() {
    skip();
    const size_t end = std::min(text_.find_first_not_of("+-.0123456789eE", at_), text_.size());
    const std::string_view digits = text_.substr(at_, end - at_);
    const size_t first = digits.starts_with('-') ? 1 : 0;
    const auto digit = [&](size_t i) {
      return i < digits.size() && digits[i] >= '0' && digits[i] <= '9';
    };
    if (!digit(first) || (digits[first] == '0' && digit(first + 1))) unexpected("a value");
    const size_t dot = digits.find('.');
    if (dot != digits.npos && !digit(dot + 1)) unexpected("a number");
    at_ = end;
    int64_t whole = 0;
    const auto read = std::from_chars(digits.begin(), digits.end(), whole);
    if (read.ec == std::errc{} && read.ptr == digits.end() && digits != "-0") return whole;
    double real = 0;
    text::read("a number of the JSON", digits, real);
    return real;
  }

  std::string string() {
    if (!next_is('"')) unexpected("a name or text in quotes");
    std::string out;
    for (++at_; !next_is('"'); ++at_) {
      if (at_ >= text_.size() || static_cast<unsigned char>(text_[at_]) < ' ')
        unexpected("a closing quote");
      out += next_is('\\') ? escaped() : text_[at_];
    }
    ++at_;
    return out;
  }

  // Names and text of options need no others.
  char escaped() {
    constexpr std::string_view codes = "\"\\/bfnrt", means = "\"\\/\b\f\n\r\t";
    ++at_;
    const size_t i = at_ < text_.size() ? codes.find(text_[at_]) : codes.npos;
    if (i == codes.npos) unexpected("one of \"\\/bfnrt after a backslash");
    return means[i];
  }

  std::string_view text_;
  size_t at_ = 0;
};

std::string quoted(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string value_json(const Option& option) {
  if (option.value.index() == 0) return "null";
  const std::string text = text::write(option.value);
  if (option.kind == OptionKind::choice || option.kind == OptionKind::text) return quoted(text);
  return option.kind == OptionKind::list ? "[" + text + "]" : text;
}

// Whether its choices have options of their own.
bool has_inside(const Option& option, const std::vector<Option>& options) {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& o) { return o.only_with.option == option.name; });
}

}  // namespace

std::vector<std::pair<std::string, Value>> read_json(std::string_view json) {
  return Reader(json).read();
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
      out += quoted(o.name.substr(begin, dot - begin)) + ":{";
      open.push_back(o.name.substr(0, dot + 1));
    }
    out += quoted(o.name.substr(open.back().size())) + ':';
    if (has_inside(o, options)) out += "{\"type\":", open.push_back(o.name + ".");
    out += value_json(o);
  }
  return out + std::string(open.size(), '}');
}

}  // namespace posenc
