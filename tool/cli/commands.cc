// commands.cc: the commands, ready to be parsed.
#include "cli/command.h"
#include "cli/options.h"

namespace posenc::cli {
namespace {

// Where a command takes a scheme, a model may give it.
std::vector<Command> with_models(std::vector<Command> commands) {
  for (Command& command : commands)
    if (command.takes.scheme && command.takes.least == 1)
      for (Option& option : options_of(ModelOptions{}))
        command.options.push_back(std::move(option));
  return commands;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = with_models(command_list());
  return all;
}

}  // namespace posenc::cli
