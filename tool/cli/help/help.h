// help.h: explanations, made from what commands and schemes say about themselves.
#pragma once

#include "cli/command.h"

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

// Names in a column of `most` characters at most, each with its text beside it.
std::string entries(const std::vector<Entry>& list, size_t most = 24);

// Broken into lines of 80 characters; all but the first are indented, as the first already is.
std::string wrapped(const std::string& text, size_t indent);
// Paragraphs, and lines "name   text" whose text goes on below itself, in lines of 80 characters.
std::string filled(std::string_view text);
// An indented command line, broken before options by a backslash where it is long.
std::string example_text(std::string_view example);

}  // namespace posenc::cli
