// commands.cc: all commands.
#include "command.h"
#include "options.h"

namespace posenc::cli {
namespace {

// Where a command takes a scheme, a model may give it.
std::vector<Command> with_models(std::vector<Command> commands) {
  for (Command& command : commands)
    if (command.takes == "SCHEME")
      for (Option& option : options_of(ModelOptions{}))
        command.options.push_back(std::move(option));
  return commands;
}

}  // namespace

const std::vector<Command>& commands() {
  static const std::vector<Command> all = with_models({
      demo_command(),        list_command(),       table_command(),     apply_command(),
      convert_command(),     shift_command(),      positions_command(), show_command(),
      frequencies_command(), graph_command(),      check_command(),     identify_command(),
      explain_command(),     diff_command(),       lint_command(),      accuracy_command(),
      bench_command(),       completion_command(), man_command(),
  });
  return all;
}

}  // namespace posenc::cli
