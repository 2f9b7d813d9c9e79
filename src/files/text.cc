// text.cc: names and shapes in error messages, and what is wrong with a shape.
#include "files/text.h"

#include <algorithm>

#include "posenc/tensor.h"

namespace posenc::files {
namespace {

constexpr size_t longest = 60;     // characters of a name in a message
constexpr size_t most_names = 12;  // names of a list in a message

std::string escaped(std::string_view text) {
  constexpr char hex[] = "0123456789abcdef";
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte >= 0x20 && byte < 0x7f) {
      out += c;
    } else {
      out += {'\\', 'x', hex[byte >> 4], hex[byte & 15]};
    }
  }
  return out;
}

}  // namespace

std::string in_quotes(std::string_view text) {
  return '"' + escaped(text.substr(0, longest)) + (text.size() > longest ? "...\"" : "\"");
}

std::string listed(std::span<const std::string> names) {
  std::string out;
  const size_t shown = std::min(names.size(), most_names);
  for (size_t i = 0; i < shown; ++i) out += (i ? ", " : "") + in_quotes(names[i]);
  if (shown < names.size()) out += ", ... and " + std::to_string(names.size() - shown) + " more";
  return out;
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
    if (size < 0) return "expected sizes of 0 and more, got shape " + shape_text(shape);
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
