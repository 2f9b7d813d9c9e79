// command_list.cc: the commands of the tool that the page runs, in place of those in tool/cli.
#include "cli/command.h"

namespace posenc::cli {

std::vector<Command> command_list() {
  return {
      list_command(),      table_command(),    apply_command(),       shift_command(),
      positions_command(), show_command(),     frequencies_command(), graph_command(),
      check_command(),     identify_command(), explain_command(),     diff_command(),
      lint_command(),
  };
}

}  // namespace posenc::cli
