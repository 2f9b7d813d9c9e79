// hints.h: what a name that posenc does not know may mean.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "posenc/scheme.h"

namespace posenc::cli {

// Throws a usage error that says what the name of a scheme may mean.
[[noreturn]] void refuse_scheme(std::string_view name, const std::vector<std::string>& names);

// Throws a usage error where a preset or a pair layout goes by another name, or is that of a model
// with numbers of its own. Does nothing for others.
void check_names(std::string_view scheme, const Options& options);

}  // namespace posenc::cli
