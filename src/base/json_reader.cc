// json_reader.cc: the grammar of JSON, and nothing more of it than that.
#include "base/json_reader.h"

#include <algorithm>
#include <limits>

#include "base/digits.h"
#include "base/text.h"

namespace posenc::files {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }

void append_utf8(std::string& out, unsigned code) {
  const auto byte = [&](unsigned value) { out += static_cast<char>(value); };
  const auto tail = [&](int shift) { byte(0x80 | (code >> shift & 0x3f)); };
  if (code < 0x80) return byte(code);
  if (code < 0x800) {
    byte(0xc0 | code >> 6), tail(0);
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12), tail(6), tail(0);
  } else {
    byte(0xf0 | code >> 18), tail(12), tail(6), tail(0);
  }
}

// How much of the text is a number by the grammar of JSON; 0: it is none.
size_t number_length(std::string_view text) {
  size_t i = 0;
  const auto at = [&] { return i < text.size() ? text[i] : '\0'; };
  const auto digits = [&] {
    const size_t first = i;
    while (is_digit(at())) ++i;
    return i > first;
  };
  if (at() == '-') ++i;
  if (at() == '0') {
    ++i;
  } else if (!digits()) {
    return 0;
  }
  if (at() == '.') {
    ++i;
    if (!digits()) return 0;
  }
  if (at() == 'e' || at() == 'E') {
    ++i;
    if (at() == '+' || at() == '-') ++i;
    if (!digits()) return 0;
  }
  return is_digit(at()) ? 0 : i;
}

}  // namespace

void JsonReader::unexpected(std::string_view wanted) {
  blank();
  if (at_ >= text_.size()) refuse("expected ", wanted, ", got the end of the text");
  refuse("expected ", wanted, " at byte ", at_, ", got ", in_quotes(text_.substr(at_, 12)));
}

void JsonReader::blank() { at_ = std::min(text_.find_first_not_of(" \t\r\n", at_), text_.size()); }

bool JsonReader::take(std::string_view word) {
  blank();
  if (!text_.substr(at_).starts_with(word)) return false;
  at_ += word.size();
  return true;
}

JsonReader::Kind JsonReader::next() {
  blank();
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == '{') return Kind::object;
  if (c == '[') return Kind::list;
  if (c == '"') return Kind::text;
  if (c == 't' || c == 'f') return Kind::boolean;
  if (c == 'n') return Kind::null;
  if (c == '-' || is_digit(c) || (rules_.python && (c == 'I' || c == 'N'))) return Kind::number;
  unexpected("a value");
}

void JsonReader::enter(char bracket, std::string_view wanted) {
  if (!take({&bracket, 1})) unexpected(wanted);
  if (++depth_ > rules_.depth)
    refuse("expected at most ", rules_.depth, " objects or lists inside each other");
}

bool JsonReader::ends(char bracket) { return take({&bracket, 1}); }

bool JsonReader::another(char bracket) {
  if (ends(bracket)) return false;
  if (!take(",")) unexpected(std::string("',' or '") + bracket + "'");
  return true;
}

std::string JsonReader::key(std::set<std::string, std::less<>>& seen) {
  blank();
  if (at_ >= text_.size() || text_[at_] != '"') unexpected("a name in quotes");
  std::string out = text();
  if (!seen.insert(out).second)
    refuse("expected each key of an object once, got ", in_quotes(out), " twice");
  if (seen.size() > rules_.members)
    refuse("expected at most ", rules_.members, " members of an object");
  if (!take(":")) unexpected("':'");
  return out;
}

std::string JsonReader::text() {
  if (!take("\"")) unexpected("text in quotes");
  std::string out;
  while (true) {
    const size_t stop = std::min(text_.find_first_of("\"\\", at_), text_.size());
    const std::string_view plain = text_.substr(at_, stop - at_);
    for (size_t i = 0; i < plain.size(); ++i)
      if (static_cast<unsigned char>(plain[i]) < ' ')
        refuse("expected a closing quote at byte ", at_ + i, ", got ",
               in_quotes(plain.substr(i, 12)));
    check_utf8(plain, at_);
    out += plain;
    at_ = stop;
    if (at_ >= text_.size()) unexpected("a closing quote");
    if (text_[at_++] == '"') return out;
    escaped(out);
  }
}

void JsonReader::check_utf8(std::string_view bytes, size_t at) {
  for (size_t i = 0; i < bytes.size();) {
    const size_t length = utf8_length(bytes.substr(i));
    if (length == 0)
      refuse("expected text in UTF-8, got ", in_quotes(bytes.substr(i, 4)), " at byte ", at + i);
    i += length;
  }
}

unsigned JsonReader::code_unit() {
  unsigned code = 0;
  const std::string_view digits = text_.substr(std::min(at_, text_.size()), 4);
  const auto read = from_chars(digits.data(), digits.data() + digits.size(), code, 16);
  if (digits.size() < 4 || read.ptr != digits.data() + 4) unexpected("four hexadecimal digits");
  at_ += 4;
  return code;
}

void JsonReader::escaped(std::string& out) {
  constexpr std::string_view codes = "\"\\/bfnrt", means = "\"\\/\b\f\n\r\t";
  const char c = at_ < text_.size() ? text_[at_] : '\0';
  if (c == 'u') {
    ++at_;
    unsigned code = code_unit();
    if (code >= 0xd800 && code < 0xdc00 && text_.substr(at_).starts_with("\\u")) {
      at_ += 2;
      const unsigned low = code_unit();
      if (low < 0xdc00 || low > 0xdfff) unexpected("the second half of a surrogate pair");
      return append_utf8(out, 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00));
    }
    if (code >= 0xd800 && code < 0xe000) unexpected("both halves of a surrogate pair");
    return append_utf8(out, code);
  }
  const size_t i = c == '\0' ? codes.npos : codes.find(c);
  if (i == codes.npos) unexpected("one of \"\\/bfnrtu after a backslash");
  ++at_;
  out += means[i];
}

JsonReader::Number JsonReader::number() {
  blank();
  if (rules_.python) {
    constexpr double infinity = std::numeric_limits<double>::infinity();
    if (take("Infinity")) return infinity;
    if (take("-Infinity")) return -infinity;
    if (take("NaN")) return std::numeric_limits<double>::quiet_NaN();
  }
  const size_t length = number_length(text_.substr(at_));
  if (length == 0) unexpected("a number");
  const std::string_view digits = text_.substr(at_, length);
  const char *first = digits.data(), *last = first + length;
  int64_t whole = 0;
  double real = 0;
  const auto as_whole = from_chars(first, last, whole);
  const bool is_whole = as_whole.ec == std::errc{} && as_whole.ptr == last && digits != "-0";
  if (!is_whole && from_chars(first, last, real).ec != std::errc{})
    unexpected("a number that a double holds");
  at_ += length;
  if (is_whole) return whole;
  return real;
}

double JsonReader::real() {
  const Number n = number();
  return std::visit([](auto v) { return static_cast<double>(v); }, n);
}

std::optional<int64_t> JsonReader::natural() {
  blank();
  const size_t start = at_;
  if (next() != Kind::number) return {};
  const Number n = number();
  const auto* whole = std::get_if<int64_t>(&n);
  if (whole && *whole >= 0) return *whole;
  at_ = start;
  return {};
}

bool JsonReader::boolean() {
  if (take("true")) return true;
  if (!take("false")) unexpected("true or false");
  return false;
}

void JsonReader::null() {
  if (!take("null")) unexpected("null");
}

void JsonReader::end() {
  blank();
  if (at_ < text_.size()) unexpected("the end of the text");
}

std::string json_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    constexpr std::string_view short_names = "btn?fr";  // of 8 and more
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) >= ' ') {
      out += c;
      continue;
    }
    if (c >= '\b' && c <= '\r' && c != '\v') {
      out += {'\\', short_names[static_cast<size_t>(c - '\b')]};
      continue;
    }
    constexpr std::string_view hex = "0123456789abcdef";
    out += "\\u00";
    out += hex[static_cast<size_t>(c) >> 4], out += hex[static_cast<size_t>(c) & 15];
  }
  return out + '"';
}

}  // namespace posenc::files
