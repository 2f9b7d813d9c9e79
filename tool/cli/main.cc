// main.cc: finds the command, runs it, and turns errors into one sentence and an exit code.
#include <fmt/core.h>

#include <csignal>
#include <new>

#include "arguments.h"
#include "console.h"
#include "help.h"
#include "model/output.h"
#include "model/text.h"
#include "options.h"
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
  if (command.takes_scheme() && !call.words.empty()) {
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

// "[function] expected ..." without the function, which tells a user nothing.
int complain(std::string_view message, int code) {
  if (message.starts_with('[')) message.remove_prefix(message.find("] ") + 2);
  print_error(fmt::format("posenc: {}\n", files::printable(message)));
  return code;
}

void remove_and_end(int signal) {
  remove_unfinished();
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

// Errors of writing are told by the write; what ends the program leaves no half of a file.
void handle_signals() {
  for (const int signal : {SIGPIPE, SIGXFSZ}) std::signal(signal, SIG_IGN);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP})
    if (std::signal(signal, remove_and_end) == SIG_IGN) std::signal(signal, SIG_IGN);
}

}  // namespace
}  // namespace posenc::cli

int main(int argc, char** argv) {
  using namespace posenc::cli;
  using posenc::Error;
  handle_signals();
  try {
    run({argv + 1, argv + argc});
    return 0;
  } catch (const Closed&) {
    return 0;
  } catch (const Error& error) {
    return complain(error.what(), exit_code(error.kind));
  } catch (const std::bad_alloc&) {
    return complain("expected more free memory for this, got none", 1);
  } catch (const std::exception& error) {
    return complain(error.what(), 1);
  }
}
