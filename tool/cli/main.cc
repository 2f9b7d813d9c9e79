// main.cc: finds the command, runs it, and turns errors into one sentence and an exit code.
#include <fmt/core.h>

#include <new>

#include "base/text.h"
#include "cli/arguments.h"
#include "cli/console.h"
#include "cli/help/help.h"
#include "cli/options.h"
#include "cli/stop.h"
#include "posenc/posenc.h"

namespace posenc::cli {
namespace {

const Command& find_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : commands()) {
    if (command.name == name) return command;
    names.emplace_back(command.name);
  }
  for (const std::string& scheme : alternative_names<Scheme>())
    if (scheme == name || (find_alias(name) && find_alias(name)->scheme == scheme))
      refuse("expected a command before the scheme, such as posenc table ", name, ", got none");
  refuse("unknown command '", name, "'", suggestion(name, names));
}

void print_help(const Command& command, const Call& call) {
  if (command.takes.scheme && !call.words.empty()) {
    print(scheme_help(command, read_info(call)));
  } else {
    print(command_help(command));
  }
}

void use_threads(const Call& call) {
  const auto count = read_options<CommonOptions>(call).threads;
  if (count && (*count < 1 || *count > 1024))
    refuse("expected threads from 1 to 1024, got ", *count);
  if (count) set_threads(static_cast<int>(*count));
}

void run(std::vector<std::string> arguments) {
  if (arguments.empty()) refuse("expected a command, got none; 'posenc --help' lists them");
  const std::string first = arguments[0];
  arguments.erase(arguments.begin());
  if (first == "--version") return print("posenc " POSENC_VERSION "\n");
  const bool asks = first == "help" || first == "--help" || first == "-h";
  if (asks && arguments.empty()) return print(tool_help());
  const Command& command = find_command(asks ? arguments[0] : first);
  if (asks) arguments[0] = "--help";
  const Call call = parse(command, arguments);
  if (call.help) return print_help(command, call);
  use_threads(call);
  command.run(call);
}

int complain(std::string_view message, int code) {
  print_error(fmt::format("posenc: {}\n", files::printable(message)));
  return code;
}

int run_tool(std::vector<std::string> arguments) {
  try {
    run(std::move(arguments));
    return 0;
  } catch (const Closed&) {
    return 0;
  } catch (const Interrupted&) {
    return 1;
  } catch (const Error& error) {
    end_if_stopped();
    return complain(error.sentence(), exit_code(error.kind));  // the function tells a user nothing
  } catch (const std::bad_alloc&) {
    return complain("out of memory", 1);
  } catch (const std::exception& error) {
    end_if_stopped();
    return complain(error.what(), 1);
  }
}

}  // namespace
}  // namespace posenc::cli

int main(int argc, char** argv) {
  using namespace posenc::cli;
  handle_signals();
  const int code = run_tool({argv + 1, argv + argc});
  end_if_stopped();
  return code;
}
