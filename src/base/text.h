// text.h: names and shapes in error messages, and what is wrong with a shape.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace posenc::files {

// The length of the UTF-8 sequence that the text starts with; 0 where it starts with none.
size_t utf8_length(std::string_view text);

// The text with everything a terminal would obey or cannot show as \xNN: control characters, marks
// of direction, and bytes that are no UTF-8.
std::string printable(std::string_view text);

// "name" in quotes, cut when long, printable.
std::string in_quotes(std::string_view text);

// "a, b, c", or "a, b, ... and 7 more".
std::string listed(std::span<const std::string> names);

// Whether both name one tensor, of which either may lack the prefix of a model.
bool same_tensor(std::string_view a, std::string_view b);

// "[2, 3]".
std::string shape_text(std::span<const int64_t> shape);

// What is wrong with an array of this shape and so many bits per element; empty when nothing is.
std::string shape_fault(std::span<const int64_t> shape, int64_t bits);

// The size of an array whose shape has no fault.
int64_t bits_of(std::span<const int64_t> shape, int64_t bits);

}  // namespace posenc::files
