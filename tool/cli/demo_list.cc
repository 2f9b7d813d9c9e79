// demo_list.cc: the command of posenc-demo.
#include "cli/command.h"

namespace posenc::cli {

std::vector<Command> command_list() { return {demo_command()}; }

}  // namespace posenc::cli
