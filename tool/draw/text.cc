#include "draw/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>

namespace posenc::draw {
namespace {

constexpr size_t longest = 1000;  // bytes of a label, more is never shown

bool continues(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// Bytes of the well-formed character at the start of non-empty text, 0 when there is none.
size_t character(std::string_view text) {
  const auto lead = static_cast<unsigned char>(text[0]);
  const size_t n = lead < 0x80       ? 1
                   : lead >> 5 == 6  ? 2
                   : lead >> 4 == 14 ? 3
                   : lead >> 3 == 30 ? 4
                                     : 0;
  if (n == 0 || n > text.size()) return 0;
  uint32_t code = n == 1 ? lead : lead & (0x7Fu >> n);
  for (size_t i = 1; i < n; ++i) {
    if (!continues(text[i])) return 0;
    code = code << 6 | (static_cast<unsigned char>(text[i]) & 0x3Fu);
  }
  constexpr uint32_t smallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool surrogate = code >= 0xD800 && code < 0xE000, reserved = (code & 0xFFFE) == 0xFFFE;
  return code < smallest[n] || code > 0x10FFFF || surrogate || reserved ? 0 : n;
}

// ASCII and Latin-1 control characters.
bool is_control(std::string_view c) {
  const auto first = static_cast<unsigned char>(c[0]);
  return first < 0x20 || first == 0x7F ||
         (first == 0xC2 && static_cast<unsigned char>(c[1]) < 0xA0);
}

}  // namespace

std::string clean(std::string_view text) {
  std::string out;
  while (!text.empty() && out.size() < longest) {
    const size_t n = character(text);
    if (n == 0)
      out += "\uFFFD";
    else
      out += is_control(text.substr(0, n)) ? std::string_view(" ") : text.substr(0, n);
    text.remove_prefix(std::max<size_t>(n, 1));
  }
  return out;
}

int cells(std::string_view text) {
  return static_cast<int>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues(c); }));
}

std::string cut(std::string text, const Fits& fits) {
  if (fits(text)) return text;
  std::vector<size_t> ends;  // byte offsets where a character starts
  for (size_t i = 0; i < text.size(); ++i)
    if (!continues(text[i])) ends.push_back(i);
  const auto end = std::partition_point(ends.begin(), ends.end(),
                                        [&](size_t n) { return fits(text.substr(0, n) + "…"); });
  return end == ends.begin() ? "" : text.substr(0, *std::prev(end)) + "…";
}

std::vector<std::string> wrap(std::string_view text, int most, const Fits& fits) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    size_t end = static_cast<int>(lines.size()) + 1 < most ? 0 : text.size();
    for (size_t next = 0; end < text.size();) {
      next = std::min(text.find(' ', next + 1), text.size());
      if (end > 0 && !fits(std::string(text.substr(0, next)))) break;
      end = next;
    }
    lines.push_back(cut(std::string(text.substr(0, end)), fits));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string fixed(double value, int decimals) {
  char digits[640];  // by snprintf: not every standard library has to_chars for numbers like these
  const int count = std::snprintf(digits, sizeof digits, "%.*f", decimals, value);
  const std::string_view all(digits, static_cast<size_t>(count));
  const bool zero = all.find_first_of("123456789") == all.npos, minus = all[0] == '-';
  return (minus && !zero ? "−" : "") + std::string(all.substr(minus ? 1 : 0));
}

std::string compact(double value) {
  const int top = value == 0 ? 0 : static_cast<int>(std::floor(std::log10(std::abs(value))));
  const bool plain = top < 6 && top >= -4;
  const int decimals = plain ? std::max(0, 2 - top) : 2;
  std::string text = fixed(plain ? value : value / std::pow(10.0, top), decimals);
  if (text.find('.') != text.npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return plain ? text : text + "×" + power_of_ten(top);
}

std::string power_of_ten(int exponent) {
  constexpr const char* raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "10⁻" : "10";
  for (const char c : std::to_string(std::abs(exponent))) text += raised[c - '0'];
  return text;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else
      out += c;
  }
  return out;
}

}  // namespace posenc::draw
