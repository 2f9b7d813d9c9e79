// commands.cc: all commands.
#include "command.h"

namespace posenc::cli {

const std::vector<Command>& commands() {
  static const std::vector<Command> all{
      demo_command(),        list_command(),       table_command(),     apply_command(),
      convert_command(),     shift_command(),      positions_command(), show_command(),
      frequencies_command(), check_command(),      identify_command(),  accuracy_command(),
      bench_command(),       completion_command(), man_command(),
  };
  return all;
}

}  // namespace posenc::cli
