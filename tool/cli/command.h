// command.h: a command of the tool, as data.
#pragma once

#include <string_view>
#include <vector>

#include "posenc/scheme.h"

namespace posenc::cli {

// What was typed after the name of a command.
struct Call {
  std::vector<std::string> words;  // what is no option: a scheme, a file
  Options own;                     // options of the command
  Options scheme;                  // options of the scheme, "preset" among them
  bool help = false;
};

// The words that a command takes after its name.
struct Takes {
  std::string_view words{};  // as the help shows them
  size_t least = 0, most = 0;
  bool scheme = false;  // the word is the name of a scheme
};
constexpr Takes takes_nothing{}, takes_scheme{"SCHEME", 1, 1, true},
    may_take_scheme{"[SCHEME]", 0, 1, true};
constexpr Takes takes_one(std::string_view word) { return {word, 1, 1}; }

struct Command {
  std::string_view name, help;  // one line
  Takes takes;
  std::string_view about;                    // what one should know to use it
  std::vector<Option> options{};             // its own, beside those of the scheme
  std::vector<std::string_view> examples{};  // command lines that run, in this order
  void (*run)(const Call&);
  std::vector<std::string> words{};  // what it takes, where that is one of a list
};

// The closed list, in the order of the help.
std::vector<Command> command_list();
// The same, each with all of its options.
const std::vector<Command>& commands();

Command list_command();
Command table_command();
Command apply_command();
Command convert_command();
Command shift_command();
Command positions_command();
Command show_command();
Command frequencies_command();
Command graph_command();
Command check_command();
Command identify_command();
Command explain_command();
Command diff_command();
Command lint_command();
Command accuracy_command();
Command bench_command();
Command completion_command();
Command man_command();
Command demo_command();
Command choose_command();

}  // namespace posenc::cli
