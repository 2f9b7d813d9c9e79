// command_list.cc: all commands.
#include "cli/command.h"

namespace posenc::cli {

std::vector<Command> command_list() {
  return {
      demo_command(),     choose_command(),      list_command(),       table_command(),
      apply_command(),    convert_command(),     shift_command(),      positions_command(),
      show_command(),     frequencies_command(), graph_command(),      check_command(),
      identify_command(), explain_command(),     diff_command(),       lint_command(),
      accuracy_command(), bench_command(),       completion_command(), man_command(),
  };
}

}  // namespace posenc::cli
