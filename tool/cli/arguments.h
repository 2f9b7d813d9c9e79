// arguments.h: from the words of a command line to a call.
#pragma once

#include "cli/command.h"

namespace posenc::cli {

// Options that every command has.
std::vector<Option> common_options();

// Options that some scheme has, each name once, and "preset".
std::vector<Option> scheme_options(std::string_view command);

// Sorts out what follows the name of the command; throws a usage error.
Call parse(const Command& command, const std::vector<std::string>& arguments);

}  // namespace posenc::cli
