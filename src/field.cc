// field.cc: values as text, and help for misspelt names.
#include "posenc/field.h"

#include <algorithm>
#include <charconv>

#include "bits.h"

namespace posenc {
namespace {

size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<size_t> row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) row[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    size_t diagonal = row[0];
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      const size_t replace = diagonal + (a[i - 1] != b[j - 1]);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replace});
    }
  }
  return row[b.size()];
}

template <class T>
T parse(std::string_view option, std::string_view text, const char* what) {
  T value{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  if (error == std::errc::result_out_of_range)
    fail("options", "expected ", option, " to fit ", what, ", got '", text, "'");
  if (error != std::errc{} || stop != end)
    fail("options", "expected ", option, " to be ", what, ", got '", text, "'");
  return value;
}

template <class T>
std::string shortest(T value) {
  char buffer[32];
  return {buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr};
}

}  // namespace

std::string closest(std::string_view word, const std::vector<std::string>& candidates) {
  std::string best;
  size_t least = std::max<size_t>(2, word.size() / 3) + 1;
  for (const std::string& c : candidates)
    if (const size_t d = edit_distance(word, c); d < least) least = d, best = c;
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
  if (!is_finite(value)) fail("options", "expected ", option, " to be finite, got '", text, "'");
}

void read(std::string_view option, std::string_view text, bool& value) {
  if (text != "true" && text != "false")
    fail("options", "expected ", option, " to be true or false, got '", text, "'");
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

std::string write(int64_t value) { return shortest(value); }
std::string write(double value) { return shortest(value); }
std::string write(float value) { return shortest(value); }
std::string write(bool value) { return value ? "true" : "false"; }
std::string write(const std::string& value) { return value; }
std::string write(const std::vector<double>& value) {
  std::vector<std::string> parts;
  parts.reserve(value.size());
  for (double v : value) parts.push_back(write(v));
  return join(parts, ",");
}

}  // namespace text
}  // namespace posenc
