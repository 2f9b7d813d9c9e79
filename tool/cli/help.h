// help.h: explanations, made from what commands and schemes say about themselves.
#pragma once

#include "command.h"

namespace posenc::cli {

// A name and what it means.
struct Entry {
  std::string name, text;
};
// Options that mean the same with several choices stand once.
std::vector<Entry> option_entries(const std::vector<Option>& options);

std::string tool_help();
std::string command_help(const Command& command);
// The command with the options of one scheme.
std::string scheme_help(const Command& command, const SchemeInfo& scheme);
// The scheme alone: what it is, its options and presets.
std::string scheme_text(const SchemeInfo& scheme);

// The options of the command that mean something beside that scheme: it reads them, and has none of
// its own by that name, which would be meant.
std::vector<Option> options_with(const Command& command, const SchemeInfo& scheme);

// Broken into lines of 100 characters; all but the first are indented.
std::string wrapped(const std::string& text, size_t indent);

}  // namespace posenc::cli
