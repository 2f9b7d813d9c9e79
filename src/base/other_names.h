// other_names.h: what other libraries and models call things, as letters compare them.
#pragma once

#include <string>
#include <string_view>

namespace posenc {

// The option that other libraries call so: "base" for rope_theta; nothing where none is.
std::string_view option_called(std::string_view name);
// The pair layout that they call so: "half" for neox.
std::string_view layout_called(std::string_view name);

// Whether `ours` is said so without what some write between its parts, or without its first one:
// llama31 and 3.1 are llama-3.1.
bool is_said_as(std::string_view ours, std::string_view name);

// The letters and digits of a name, none a capital.
std::string letters_of(std::string_view text);
// Whether words of the text that follow each other are the name, of which these are the letters. In
// a sentence one of them has a capital or a digit, as names have.
bool says(std::string_view text, const std::string& letters, bool sentence);

}  // namespace posenc
