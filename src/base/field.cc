// field.cc: values as text, and help for misspelt names.
#include "posenc/field.h"

#include <algorithm>
#include <cmath>

#include "base/bits.h"
#include "base/digits.h"
#include "base/other_names.h"

namespace posenc {
namespace {

// Letters to add, drop, replace or swap with their neighbour.
size_t edit_distance(std::string_view a, std::string_view b) {
  const size_t width = b.size() + 1;
  std::vector<size_t> cost((a.size() + 1) * width);
  for (size_t i = 0; i <= a.size(); ++i)
    for (size_t j = 0; j <= b.size(); ++j) {
      size_t& here = cost[i * width + j];
      here = std::max(i, j);
      if (i == 0 || j == 0) continue;
      const size_t* above = &here - width;
      here = std::min({*above + 1, *(&here - 1) + 1, *(above - 1) + (a[i - 1] != b[j - 1])});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        here = std::min(here, *(above - width - 2) + 1);
    }
  return cost.back();
}

// The shortest candidate that begins so.
std::string begun(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  for (const std::string& c : candidates)
    if (c.starts_with(word) && (best.empty() || c.size() < best.size())) best = c;
  return word.size() < 2 ? "" : best;
}

template <class T>
T parse(std::string_view option, std::string_view text, const char* what) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    fail(ErrorKind::option, "options", "expected ", option, " to fit ", what, ", got '", text, "'");
  if (error != std::errc{} || stop != end)
    fail(ErrorKind::option, "options", "expected ", option, " to be ", what, ", got '", text, "'");
  return value;
}

template <class T>
std::string shortest(T value) {
  char buffer[32];
  return {buffer, to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  constexpr size_t longest_name = 64;
  for (const std::string& c : candidates)
    if (word.size() <= longest_name &&
        (c == option_called(word) || c == layout_called(word) || is_said_as(c, word)))
      return c;
  std::string best = begun(word, candidates);
  if (!best.empty()) return best;
  size_t least = std::min<size_t>((word.size() + 1) / 3, 3) + 1;  // more is another word
  for (const std::string& c : candidates) {
    const size_t apart = word.size() > c.size() ? word.size() - c.size() : c.size() - word.size();
    if (apart >= least) continue;  // so is the distance; a word of a megabyte costs nothing
    if (const size_t d = edit_distance(word, c); d < least) least = d, best = c;
  }
  return best;
}

std::string join(const std::vector<std::string>& parts, std::string_view between) {
  std::string out;
  for (size_t i = 0; i < parts.size(); ++i) {
    if (i) out += between;
    out += parts[i];
  }
  return out;
}

std::string suggestion(std::string_view word, const std::vector<std::string>& candidates) {
  if (const std::string best = closest(word, candidates); !best.empty())
    return "; did you mean '" + best + "'?";
  return "; there is: " + join(candidates, ", ");
}

void check_size(std::string_view scheme, std::string_view option, int64_t value) {
  if (value < 1 || value > max_size)
    fail(scheme, "expected ", option, " from 1 to ", max_size, ", got ", value);
}

void check_finite(std::string_view scheme, std::string_view option, double value) {
  if (!is_finite(value)) fail(scheme, "expected ", option, " to be finite, got ", value);
}

void check_positive(std::string_view scheme, std::string_view option, double value) {
  if (!is_finite(value) || value <= 0)
    fail(scheme, "expected ", option, " to be above 0 and finite, got ", value);
}

void check_offset(std::string_view scheme, int64_t value) {
  constexpr int64_t most = int64_t{1} << 53;
  if (value < -most || value > most) fail(scheme, "expected offset within 2^53, got ", value);
}

namespace text {

void read(std::string_view option, std::string_view text, int64_t& value) {
  value = parse<int64_t>(option, text, "an integer of 64 bits");
}

void read(std::string_view option, std::string_view text, double& value) {
  value = parse<double>(option, text, "a number");
  if (!is_finite(value))
    fail(ErrorKind::option, "options", "expected ", option, " to be finite, got '", text, "'");
}

void read(std::string_view option, std::string_view text, bool& value) {
  if (text != "true" && text != "false")
    fail(ErrorKind::option, "options", "expected ", option, " to be true or false, got '", text,
         "'");
  value = text == "true";
}

void read(std::string_view, std::string_view text, std::string& value) { value = text; }

void read(std::string_view option, std::string_view text, std::vector<double>& value) {
  value.clear();
  for (size_t at = 0; at <= text.size();) {
    const size_t comma = std::min(text.find(',', at), text.size());
    read(option, text.substr(at, comma - at), value.emplace_back());
    at = comma + 1;
  }
}

std::string write(int value) { return shortest(value); }
std::string write(long value) { return shortest(value); }
std::string write(long long value) { return shortest(value); }
// Whole numbers without an exponent: 500000, not 5e+05.
std::string write(double value) {
  constexpr double longest = 1e15;
  if (value == std::trunc(value) && std::abs(value) < longest &&
      (value != 0 || !std::signbit(value)))
    return write(static_cast<int64_t>(value));
  return shortest(value);
}
std::string write(float value) { return shortest(value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(const std::vector<double>& value) {
  std::vector<std::string> parts;
  parts.reserve(value.size());
  for (double v : value) parts.push_back(write(v));
  return join(parts, ",");
}
std::string write(const Value& value) {
  return std::visit(
      []<class T>(const T& v) -> std::string {
        if constexpr (std::is_same_v<T, std::monostate>)
          return "";
        else if constexpr (std::is_same_v<T, std::string>)
          return v;
        else
          return write(v);
      },
      value);
}

}  // namespace text
}  // namespace posenc
