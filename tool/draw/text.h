// text.h: UTF-8 text made safe, cut to size, and numbers as text.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::draw {

// Valid UTF-8 without control characters and of bounded length, whatever the input.
std::string clean(std::string_view text);

// Number of characters of clean text.
int cells(std::string_view text);

// Whether a piece of text is short enough.
using Fits = std::function<bool(const std::string&)>;

// The text, or as much of it as fits with "…" behind it; empty when not even that fits.
std::string cut(std::string text, const Fits& fits);

// Broken at spaces into at most `most` lines that fit.
std::vector<std::string> wrap(std::string_view text, int most, const Fits& fits);

// Fixed point with a true minus sign, whatever the locale.
std::string fixed(double value, int decimals);

// At most three digits: "−0.25", "1.5×10⁻⁷".
std::string compact(double value);

// "10⁻⁵"
std::string power_of_ten(int exponent);

// &, < and > as XML entities.
std::string xml(std::string_view text);

}  // namespace posenc::draw
