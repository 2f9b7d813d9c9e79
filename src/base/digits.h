// digits.h: from_chars and to_chars for every number; some standard libraries have them for whole
// numbers only.
#pragma once

#include <charconv>

#ifndef __cpp_lib_to_chars
#include <cerrno>
#include <concepts>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#endif

namespace posenc {

#ifdef __cpp_lib_to_chars

using std::from_chars;
using std::to_chars;

#else  // they may have one of the two, or only where newer systems are asked for

template <std::integral T>
std::from_chars_result from_chars(const char* first, const char* last, T& value, int base = 10) {
  return std::from_chars(first, last, value, base);
}
template <std::integral T>
std::to_chars_result to_chars(char* first, char* last, T value) {
  return std::to_chars(first, last, value);
}

inline std::from_chars_result from_chars(const char* first, const char* last, double& value) {
  const std::string text(first, last);
  if (text.find_first_of(" \t\n\r\v\f+xX") == 0 || text.find_first_of("xX") != text.npos)
    return {first, std::errc::invalid_argument};
  char* stop = nullptr;
  errno = 0;
  const double read = std::strtod(text.c_str(), &stop);
  if (stop == text.c_str()) return {first, std::errc::invalid_argument};
  const char* end = first + (stop - text.c_str());
  if (errno == ERANGE && (read == 0 || read - read != 0))
    return {end, std::errc::result_out_of_range};
  value = read;
  return {end, std::errc{}};
}

// The fewest digits that are read as the same number; no exponent where that is as short.
template <std::floating_point T>
std::to_chars_result to_chars(char* first, char* last, T value) {
  char digits[64], whole[64];
  for (int count = 1; count <= 17; ++count) {
    std::snprintf(digits, sizeof digits, "%.*g", count, static_cast<double>(value));
    if (static_cast<T>(std::strtod(digits, nullptr)) == value) break;
  }
  const double size = static_cast<double>(value < 0 ? -value : value);
  std::snprintf(whole, sizeof whole, "%.0f", size < 1e22 ? static_cast<double>(value) : 0.5);
  const bool is_whole = static_cast<T>(std::strtod(whole, nullptr)) == value;
  const char* best = is_whole && std::strlen(whole) <= std::strlen(digits) ? whole : digits;
  const size_t length = std::strlen(best);
  if (static_cast<size_t>(last - first) < length) return {last, std::errc::value_too_large};
  return {static_cast<char*>(std::memcpy(first, best, length)) + length, std::errc{}};
}

#endif

}  // namespace posenc
