// search.h: schemes by what models, papers and libraries call them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace posenc::cli {

// The name of a scheme that the command knows, written with other cases, hyphens, dots or
// underscores; the word itself where there is none.
std::string as_spelled(std::string_view command, const std::string& word);

// Where a scheme or preset is said to be that of a name: "rope --preset qwen3-vl", what it is.
struct Mention {
  std::string scheme, how, about;
};
std::vector<Mention> mentions_of(std::string_view name);

}  // namespace posenc::cli
