// text.cc: names and shapes in error messages, and what is wrong with a shape.
#include "base/text.h"

#include <algorithm>

#include "posenc/tensor.h"

namespace posenc::files {
namespace {

constexpr size_t longest = 60;     // characters of a name in a message
constexpr size_t most_names = 12;  // names of a list in a message

char32_t decoded(std::string_view sequence) {
  if (sequence.size() == 1) return static_cast<unsigned char>(sequence[0]);
  char32_t out = static_cast<unsigned char>(sequence[0]) & (0x7f >> sequence.size());
  for (const char c : sequence.substr(1)) out = out << 6 | (static_cast<unsigned char>(c) & 0x3f);
  return out;
}

// Whether a terminal may be shown the character: it obeys control characters, and marks of
// direction make it show others in a wrong order.
bool is_shown(char32_t c) {
  const auto within = [c](char32_t low, char32_t high) { return c >= low && c <= high; };
  const bool control = c < 0x20 || within(0x7f, 0x9f) || within(0x2028, 0x2029);
  const bool direction =
      c == 0x61c || within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069);
  return !control && !direction;
}

std::string hexadecimal(std::string_view bytes) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
  }
  return out;
}

}  // namespace

size_t utf8_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  if (text.empty()) return 0;
  const size_t length = byte(0) < 0x80   ? 1
                        : byte(0) < 0xc2 ? 0
                        : byte(0) < 0xe0 ? 2
                        : byte(0) < 0xf0 ? 3
                        : byte(0) < 0xf5 ? 4
                                         : 0;
  if (length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i)
    if ((byte(i) & 0xc0) != 0x80) return 0;
  const char32_t c = length > 0 ? decoded(text.substr(0, length)) : 0;
  const bool overlong = (length == 3 && c < 0x800) || (length == 4 && c < 0x10000);
  return overlong || (c >= 0xd800 && c <= 0xdfff) || c > 0x10ffff ? 0 : length;
}

std::string printable(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const size_t length = utf8_length(text);
    const auto piece = text.substr(0, std::max<size_t>(length, 1));
    const bool shown = length > 0 && is_shown(decoded(piece));
    out += shown ? std::string(piece) : hexadecimal(piece);
    text.remove_prefix(piece.size());
  }
  return out;
}

std::string in_quotes(std::string_view text) {
  const auto inside = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; };
  size_t end = std::min(text.size(), longest);
  while (end > 0 && end < text.size() && inside(text[end])) --end;
  return '"' + printable(text.substr(0, end)) + (end < text.size() ? "...\"" : "\"");
}

std::string listed(std::span<const std::string> names) {
  std::string out;
  const size_t shown = std::min(names.size(), most_names);
  for (size_t i = 0; i < shown; ++i) out += (i ? ", " : "") + in_quotes(names[i]);
  if (shown < names.size()) out += ", ... and " + std::to_string(names.size() - shown) + " more";
  return out;
}

bool same_tensor(std::string_view a, std::string_view b) {
  if (a.size() < b.size()) std::swap(a, b);
  return a.ends_with(b) && (a.size() == b.size() || a[a.size() - b.size() - 1] == '.');
}

std::string shape_text(std::span<const int64_t> shape) {
  std::string out = "[";
  for (size_t i = 0; i < shape.size(); ++i) out += (i ? ", " : "") + std::to_string(shape[i]);
  return out + "]";
}

std::string shape_fault(std::span<const int64_t> shape, int64_t bits) {
  if (shape.size() > max_rank) {
    return "expected at most " + std::to_string(max_rank) + " axes, got " +
           std::to_string(shape.size());
  }
  // Axes of size 0 count as 1: the strides of an empty array must fit as well.
  int64_t total = bits;
  for (const int64_t size : shape) {
    if (size < 0) return "expected sizes of at least 0, got shape " + shape_text(shape);
    if (__builtin_mul_overflow(total, std::max<int64_t>(size, 1), &total)) {
      return "expected an array whose size fits 63 bits, got shape " + shape_text(shape);
    }
  }
  return "";
}

int64_t bits_of(std::span<const int64_t> shape, int64_t bits) {
  for (const int64_t size : shape) bits *= size;
  return bits;
}

}  // namespace posenc::files
